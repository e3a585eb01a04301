/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library of C++ in a file of its own. */
namespace shelf {

class Rack {
  public:
    Rack();
    ~Rack();
    void put(int value);
    int count() const noexcept;

  private:
    int *values;
};

Rack *find(const char *name);

} // namespace shelf
