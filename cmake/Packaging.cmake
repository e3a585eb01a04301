# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The files that users' builds refer to, in the build tree and installed: clang configuration files, linker options for
# static links, CMake package, pkg-config file. Also the install rules.

include(CMakePackageConfigHelpers)

# Writes a clang configuration file. clang replaces <CFGDIR> by the file's directory, so the file contains no absolute
# paths.
function(allocsite_write_cfg file major library)
    set(ALLOCSITE_CFG_MAJOR ${major})
    set(ALLOCSITE_CFG_LIBRARY ${library})
    set(ALLOCSITE_CFG_TYPES "")
    if(ALLOCSITE_LLVM_${major}_HAS_AST)
        set(ALLOCSITE_CFG_TYPES "-fplugin=<CFGDIR>/allocsite-types.so\n")
    endif()
    configure_file(${PROJECT_SOURCE_DIR}/cmake/allocsite.cfg.in ${file} @ONLY)
endfunction()

# Writes a response file for clang, generated from the list of functions that the runtime interposes.
function(allocsite_write_static_options file options_variable)
    set(list ${PROJECT_SOURCE_DIR}/rt/allocators.def)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
    file(STRINGS ${list} options REGEX "^(HEAP_[A-Z]+|OPERATOR_NEW|BESIDE)\\(")
    list(TRANSFORM options REPLACE "^[A-Z_]+\\(([A-Za-z0-9_]+).*$" "-Wl,--wrap=\\1")
    # The C library follows the archive and refers to these symbols, so they must be in the link before.
    list(APPEND options "-Wl,--undefined=__wrap_malloc" "-Wl,--undefined=__wrap_fclose"
                        "-Wl,--undefined=__wrap_abort" "-Wl,--undefined=__wrap_mmap")
    # libgcc also defines __wrap_pthread_create, for split stacks. In a static program its version creates no thread.
    list(APPEND options "-Wl,--undefined=__wrap_pthread_create")
    # A static program finds its unwind tables only with --eh-frame-hdr, and stacks cannot be walked without them.
    list(APPEND options "-Wl,--eh-frame-hdr")
    list(JOIN options "\n" lines)
    file(CONFIGURE OUTPUT ${file} CONTENT "${lines}\n")
    list(JOIN options " " words)
    set(${options_variable} "${words}" PARENT_SCOPE)
endfunction()

set(library_dir ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/allocsite)

allocsite_write_cfg(${library_dir}/allocsite.cfg ${ALLOCSITE_LLVM} <CFGDIR>)
foreach(major IN LISTS ALLOCSITE_LLVM_MAJORS)
    allocsite_write_cfg(${library_dir}/allocsite/llvm-${major}/allocsite.cfg ${major} <CFGDIR>/../..)
    install(DIRECTORY ${library_dir}/allocsite/llvm-${major} DESTINATION ${CMAKE_INSTALL_LIBDIR}/allocsite)
endforeach()
install(FILES ${library_dir}/allocsite.cfg ${library_dir}/allocsite.so DESTINATION ${CMAKE_INSTALL_LIBDIR})

allocsite_write_static_options(${library_dir}/allocsite/static.opts ALLOCSITE_STATIC_OPTIONS)
install(FILES ${library_dir}/allocsite/static.opts DESTINATION ${CMAKE_INSTALL_LIBDIR}/allocsite)

# The package finds the libraries relative to its own location, in the build tree and installed.
function(allocsite_write_package directory libraries headers)
    set(ALLOCSITE_PACKAGE_LIBDIR ${libraries})
    set(ALLOCSITE_PACKAGE_INCLUDEDIR ${headers})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/allocsiteConfig.cmake.in ${directory}/allocsiteConfig.cmake @ONLY)
    write_basic_package_version_file(${directory}/allocsiteConfigVersion.cmake COMPATIBILITY SameMinorVersion)
endfunction()

file(RELATIVE_PATH headers_from_package ${CMAKE_INSTALL_PREFIX}/${package_dir} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
allocsite_write_package(${library_dir}/cmake/allocsite ../.. ../../../include)
allocsite_write_package(${PROJECT_BINARY_DIR}/installed/cmake ../.. ${headers_from_package})
install(DIRECTORY ${PROJECT_BINARY_DIR}/installed/cmake/ DESTINATION ${package_dir})

set(ALLOCSITE_PC_TYPES "")
if(ALLOCSITE_LLVM_${ALLOCSITE_LLVM}_HAS_AST)
    set(ALLOCSITE_PC_TYPES " -fplugin=\${libdir}/allocsite-types.so")
    install(FILES ${library_dir}/allocsite-types.so DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

function(allocsite_write_pkgconfig file prefix_from_here library_dir header_dir)
    set(ALLOCSITE_PC_PREFIX ${prefix_from_here})
    set(ALLOCSITE_PC_LIBDIR ${library_dir})
    set(ALLOCSITE_PC_INCLUDEDIR ${header_dir})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/allocsite.pc.in ${file} @ONLY)
endfunction()

file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
allocsite_write_pkgconfig(${library_dir}/pkgconfig/allocsite.pc ../.. lib include)
allocsite_write_pkgconfig(${PROJECT_BINARY_DIR}/installed/allocsite.pc
    ${prefix_from_pc} ${CMAKE_INSTALL_LIBDIR} ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/installed/allocsite.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The build tree is used like an installed one, so it needs the header, too.
configure_file(${PROJECT_SOURCE_DIR}/rt/lib/allocsite.h ${PROJECT_BINARY_DIR}/include/allocsite.h COPYONLY)
install(FILES ${PROJECT_SOURCE_DIR}/rt/lib/allocsite.h TYPE INCLUDE)
install(TARGETS allocsite_shared allocsite_static)
# Static programs contain the reader's path (rt/lib/reader_path.c). cmake --install and cpack may change the prefix, so
# it is known only at installation.
install(CODE "set(object \"${PROJECT_BINARY_DIR}/installed/reader_path.c.o\")
execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND ${CMAKE_C_COMPILER} -fPIC \"-I${PROJECT_SOURCE_DIR}/rt\"
    \"-DALLOCSITE_READER_PATH=\\\"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/allocsite-dump\\\"\"
    -c \"${PROJECT_SOURCE_DIR}/rt/lib/reader_path.c\" -o \"\${object}\")
execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND ${CMAKE_AR} rs
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:allocsite_static>\" \"\${object}\")")
