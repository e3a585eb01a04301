# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The packages for Debian and RPM, with all plugins that were built: cpack -G DEB, cpack -G RPM. Set the maintainer
# with -DCPACK_PACKAGE_CONTACT='NAME <ADDRESS>'.

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

set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE "Apache-2.0 WITH LLVM-exception")
set(CPACK_RPM_PACKAGE_RECOMMENDS clang)
# Other packages have the same folders, and links by build id would conflict with theirs.
set(CPACK_RPM_SPEC_MORE_DEFINE "%define _build_id_links none")
set(folders cmake pkgconfig)
list(TRANSFORM folders PREPEND /usr/${CMAKE_INSTALL_LIBDIR}/)
foreach(folder IN ITEMS bash-completion bash-completion/completions fish fish/vendor_completions.d man man/man1 man/man3 man/man5
        man/man7 zsh zsh/site-functions zsh/vendor-completions)
    list(APPEND folders /usr/share/${folder})
endforeach()
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION ${folders})

# The changelog's first entry is the version that is built. Until that is released, the date is the day of the build.
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
