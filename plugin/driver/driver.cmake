# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# allocsite-clang and its other names: allocsite-clang++, and both with -N for each LLVM major.

set(ALLOCSITE_MAJORS_TABLE)
foreach(major IN LISTS ALLOCSITE_LLVM_MAJORS)
    list(APPEND ALLOCSITE_MAJORS_TABLE "{${major}, \"${ALLOCSITE_LLVM_${major}_CLANG}\"}")
endforeach()
list(JOIN ALLOCSITE_MAJORS_TABLE ", " ALLOCSITE_MAJORS_TABLE)
file(RELATIVE_PATH ALLOCSITE_LIB_FROM_BIN ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
configure_file(${CMAKE_CURRENT_LIST_DIR}/driver_majors.h.in ${CMAKE_CURRENT_BINARY_DIR}/driver_majors.h @ONLY)

find_library(LIBIBERTY iberty REQUIRED)
add_library(allocsite_invocation OBJECT ${CMAKE_CURRENT_LIST_DIR}/invocation.c)
add_executable(allocsite-clang ${CMAKE_CURRENT_LIST_DIR}/driver.c)
target_compile_definitions(allocsite-clang PRIVATE _GNU_SOURCE)
target_include_directories(allocsite_invocation PUBLIC ${CMAKE_CURRENT_LIST_DIR}/..)
target_include_directories(allocsite-clang PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
target_link_libraries(allocsite-clang PRIVATE allocsite_invocation ${LIBIBERTY})

set(ALLOCSITE_DRIVER_NAMES allocsite-clang++)
foreach(major IN LISTS ALLOCSITE_LLVM_MAJORS)
    list(APPEND ALLOCSITE_DRIVER_NAMES allocsite-clang-${major} allocsite-clang++-${major})
endforeach()
foreach(name IN LISTS ALLOCSITE_DRIVER_NAMES)
    add_custom_command(TARGET allocsite-clang POST_BUILD VERBATIM
        COMMAND ${CMAKE_COMMAND} -E create_symlink allocsite-clang ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name})
    install(PROGRAMS ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name} TYPE BIN)
endforeach()
install(TARGETS allocsite-clang)
