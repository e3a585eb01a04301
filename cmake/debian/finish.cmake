# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prepares the staged files for a Debian package; cpack runs it before packing.

set(root ${CPACK_TEMPORARY_DIRECTORY}/usr)
file(GLOB_RECURSE modules ${root}/lib*/allocsite/*.so ${root}/lib*/liballocsite.so.*)
file(GLOB_RECURSE archives ${root}/lib*/*.a)
file(GLOB_RECURSE manuals ${root}/share/man/*.[1-8])
file(GLOB programs ${root}/bin/*)
set(doc ${root}/share/doc/allocsite)
file(COPY ${CPACK_ALLOCSITE_DEBIAN}/changelog ${CPACK_ALLOCSITE_COPYRIGHT} DESTINATION ${doc})

function(run)
    execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
foreach(file IN LISTS modules programs)
    if(NOT IS_SYMLINK ${file})
        run(strip --strip-unneeded --remove-section=.comment --remove-section=.note ${file})
    endif()
endforeach()
foreach(file IN LISTS archives)
    run(strip --strip-debug --remove-section=.comment --enable-deterministic-archives ${file})
endforeach()
run(gzip -9n ${manuals} ${doc}/changelog)

# The modes depend on the builder's umask.
run(find ${root} -type d -exec chmod 755 {} +)
run(find ${root} -type f -exec chmod u=rwX,go=rX {} +)
file(GLOB_RECURSE libraries ${root}/lib*/*.so ${root}/lib*/*.so.*)
foreach(file IN LISTS libraries)
    if(NOT IS_SYMLINK ${file})
        file(CHMOD ${file} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    endif()
endforeach()
