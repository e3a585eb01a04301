# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The Debian package, with all plugins that were built: cpack -G DEB. Set its maintainer with
# -DCPACK_PACKAGE_CONTACT='NAME <ADDRESS>'.

set(CPACK_PACKAGE_CONTACT "allocsite maintainers <allocsite@example.org>" CACHE STRING "Maintainer of packages")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "exact heap profiler for C and C++, by the line that allocates")
set(CPACK_PACKAGE_DESCRIPTION
"An LLVM pass plugin gives each call of an allocator a static id, and a small
runtime counts there: allocations, bytes, what is live and what was live at
the peak, for each line, exactly, at a cost of nanoseconds.
.
allocsite-clang compiles with it, allocsite-run profiles programs as they are,
and allocsite-dump reads reports, profiles and running processes.")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers ${PROJECT_SOURCE_DIR}/cmake/debian/shlibs)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

# One clang is enough. The reader needs none.
list(TRANSFORM ALLOCSITE_LLVM_MAJORS PREPEND clang- OUTPUT_VARIABLE clangs)
list(JOIN clangs " | " CPACK_DEBIAN_PACKAGE_RECOMMENDS)
# Loaded at run time to serve reports, and to fetch debug information from a server.
string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", libmicrohttpd12 | libmicrohttpd12t64")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS libdebuginfod1)

# Its first entry is the version that is built. Until that is released, the date is the day of the build.
file(STRINGS cmake/debian/changelog.in newest LIMIT_COUNT 1)
if(NOT newest MATCHES "^allocsite \\(${PROJECT_VERSION}\\) ")
    message(FATAL_ERROR "cmake/debian/changelog.in has no entry for version ${PROJECT_VERSION}")
endif()
string(TIMESTAMP ALLOCSITE_DEBIAN_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(cmake/debian/changelog.in ${PROJECT_BINARY_DIR}/debian/changelog @ONLY)
set(CPACK_ALLOCSITE_DEBIAN ${PROJECT_BINARY_DIR}/debian)
set(CPACK_ALLOCSITE_COPYRIGHT ${PROJECT_SOURCE_DIR}/cmake/debian/copyright)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/finish.cmake)
include(CPack)
