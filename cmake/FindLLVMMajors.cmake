# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds every LLVM major with headers and clang, which a pass plugin needs. Several may be installed, and each gets its
# own plugin.
#
# Reads   ALLOCSITE_LLVM_ROOTS   prefixes to search before /usr/lib/llvm-*
#         ALLOCSITE_LLVM         optional: the default major
#         ALLOCSITE_LLVM_ONLY    optional: the majors to build for, of those found
# Sets    ALLOCSITE_LLVM_MAJORS  the majors found, in ascending order
#         ALLOCSITE_LLVM         the default major: 14 if present, else the lowest
#         ALLOCSITE_LLVM_<N>_INCLUDE_DIR, _CLANG, _CLANGXX, and if installed (otherwise false):
#         ALLOCSITE_LLVM_<N>_OPT, _FILECHECK, _LLD
#         ALLOCSITE_LLVM_<N>_HAS_AST  whether clang's headers are installed
#         ALLOCSITE_LIT          command line (list) that starts lit, or empty

set(ALLOCSITE_LLVM_OLDEST 14)

function(allocsite_llvm_tool variable root major)
    find_program(${variable} NAMES ${ARGN} HINTS ${root}/bin NO_DEFAULT_PATH)
    if(NOT ${variable})
        list(TRANSFORM ARGN APPEND -${major} OUTPUT_VARIABLE suffixed)
        find_program(${variable} NAMES ${suffixed})
    endif()
    mark_as_advanced(${variable})
endfunction()

# Sets `variable` to the major whose headers are in `root`, or to nothing.
function(allocsite_llvm_major variable root)
    set(${variable} "" PARENT_SCOPE)
    set(config ${root}/include/llvm/Config/llvm-config.h)
    if(NOT EXISTS ${root}/include/llvm/Passes/PassPlugin.h AND NOT EXISTS ${root}/include/llvm/Plugins/PassPlugin.h)
        return()
    endif()
    if(EXISTS ${config})
        file(STRINGS ${config} line REGEX "^#define LLVM_VERSION_MAJOR ")
        if(line MATCHES "([0-9]+)$")
            set(${variable} ${CMAKE_MATCH_1} PARENT_SCOPE)
        endif()
    endif()
endfunction()

# Debian has no program lit. llvm-N-tools has bin/lit from 20 on, and lit.py before.
function(allocsite_find_lit)
    find_program(ALLOCSITE_LIT_PROGRAM NAMES llvm-lit lit)
    mark_as_advanced(ALLOCSITE_LIT_PROGRAM)
    set(command ${ALLOCSITE_LIT_PROGRAM})
    if(NOT command)
        find_package(Python3 COMPONENTS Interpreter QUIET)
        file(GLOB scripts /usr/lib/llvm-*/bin/lit /usr/lib/llvm-*/build/utils/lit/lit.py)
        foreach(root IN LISTS ALLOCSITE_LLVM_ROOTS)
            file(GLOB more ${root}/bin/llvm-lit ${root}/bin/lit ${root}/build/utils/lit/lit.py)
            list(APPEND scripts ${more})
        endforeach()
        list(SORT scripts COMPARE NATURAL ORDER DESCENDING)
        if(Python3_FOUND AND scripts)
            list(GET scripts 0 newest)
            set(command ${Python3_EXECUTABLE} ${newest})
        else()
            set(command "")
        endif()
    endif()
    set(ALLOCSITE_LIT "${command}" PARENT_SCOPE)
endfunction()

file(GLOB prefixes /usr/lib/llvm-*)
list(SORT prefixes COMPARE NATURAL)
set(ALLOCSITE_LLVM_MAJORS)
foreach(root IN LISTS ALLOCSITE_LLVM_ROOTS prefixes)
    allocsite_llvm_major(major ${root})
    if(NOT major OR major IN_LIST ALLOCSITE_LLVM_MAJORS OR major LESS ALLOCSITE_LLVM_OLDEST)
        continue()
    endif()
    if(ALLOCSITE_LLVM_ONLY AND NOT major IN_LIST ALLOCSITE_LLVM_ONLY)
        continue()
    endif()
    allocsite_llvm_tool(ALLOCSITE_LLVM_${major}_CLANG ${root} ${major} clang)
    allocsite_llvm_tool(ALLOCSITE_LLVM_${major}_CLANGXX ${root} ${major} clang++)
    if(NOT ALLOCSITE_LLVM_${major}_CLANG OR NOT ALLOCSITE_LLVM_${major}_CLANGXX)
        message(STATUS "LLVM ${major}: headers in ${root}, but no clang-${major}: left out")
        continue()
    endif()
    allocsite_llvm_tool(ALLOCSITE_LLVM_${major}_OPT ${root} ${major} opt)
    allocsite_llvm_tool(ALLOCSITE_LLVM_${major}_FILECHECK ${root} ${major} FileCheck)
    allocsite_llvm_tool(ALLOCSITE_LLVM_${major}_LLD ${root} ${major} ld.lld)
    set(ALLOCSITE_LLVM_${major}_INCLUDE_DIR ${root}/include)
    set(ALLOCSITE_LLVM_${major}_HAS_AST FALSE)
    if(EXISTS ${root}/include/clang/Frontend/FrontendPluginRegistry.h)
        set(ALLOCSITE_LLVM_${major}_HAS_AST TRUE)
    endif()
    list(APPEND ALLOCSITE_LLVM_MAJORS ${major})
endforeach()
list(SORT ALLOCSITE_LLVM_MAJORS COMPARE NATURAL)
allocsite_find_lit()

if(NOT ALLOCSITE_LLVM AND ALLOCSITE_LLVM_MAJORS)
    list(GET ALLOCSITE_LLVM_MAJORS 0 ALLOCSITE_LLVM)
    if(14 IN_LIST ALLOCSITE_LLVM_MAJORS)
        set(ALLOCSITE_LLVM 14)
    endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LLVMMajors
    REQUIRED_VARS ALLOCSITE_LLVM_MAJORS
    REASON_FAILURE_MESSAGE "no LLVM of ${ALLOCSITE_LLVM_OLDEST} or later with headers and clang (Debian: llvm-14-dev clang-14)")
if(LLVMMajors_FOUND AND NOT ALLOCSITE_LLVM IN_LIST ALLOCSITE_LLVM_MAJORS)
    message(FATAL_ERROR "ALLOCSITE_LLVM=${ALLOCSITE_LLVM} is not among the majors found: ${ALLOCSITE_LLVM_MAJORS}")
endif()
