# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs manual pages in share/man, also in the build tree: man finds them next to a bin/ that is in PATH.

# allocsite_add_manuals(PAGE...): each PAGE is a file in the current source directory.
function(allocsite_add_manuals)
    foreach(page IN LISTS ARGN)
        get_filename_component(name ${page} NAME)
        string(REGEX MATCH "[1-8]$" section ${name})
        configure_file(${page} ${PROJECT_BINARY_DIR}/share/man/man${section}/${name} COPYONLY)
        install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
    endforeach()
endfunction()

# allocsite_add_manual_names(PAGE NAME...): additional names of a page in section 1.
function(allocsite_add_manual_names page)
    foreach(name IN LISTS ARGN)
        set(file ${PROJECT_BINARY_DIR}/share/man/man1/${name}.1)
        file(CONFIGURE OUTPUT ${file} CONTENT ".so man1/${page}.1\n")
        install(FILES ${file} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    endforeach()
endfunction()

# allocsite_add_examples(FILE...): installs files of the current source directory with the documentation, also in the build
# tree.
function(allocsite_add_examples)
    foreach(file IN LISTS ARGN)
        get_filename_component(name ${file} NAME)
        configure_file(${file} ${PROJECT_BINARY_DIR}/share/doc/allocsite/examples/${name} COPYONLY)
        install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
    endforeach()
endfunction()
