# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes assets.c: cmake -DOUTPUT=assets.c -DSTYLE=page.css "-DSCRIPT=a.js;b.js" -P embed.cmake
# The scripts become one module in the order of the list, without their comment lines, licence and indentation.

set(DIGITS A B C D E F G H I J K L M N O P Q R S T U V W X Y Z a b c d e f g h i j k l m n o p q r s t u v w x y z
    0 1 2 3 4 5 6 7 8 9 + /)

# base64(VARIABLE HEX): of 32 bytes, which three do not divide: the last group has two.
function(base64 variable hex)
    set(text "")
    foreach(at RANGE 0 63 6)
        string(SUBSTRING "${hex}00" ${at} 6 group)
        foreach(shift IN ITEMS 18 12 6 0)
            math(EXPR digit "(0x${group} >> ${shift}) & 63")
            list(GET DIGITS ${digit} letter)
            string(APPEND text "${letter}")
        endforeach()
    endforeach()
    string(REGEX REPLACE ".$" "=" text "${text}")
    set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# put(NAME FILE): appends the definitions of the file's bytes.
function(put name file)
    file(READ ${file} hex HEX)
    file(SHA256 ${file} hash)
    base64(hash ${hash})
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
    string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes
        "${bytes}")
    file(APPEND ${OUTPUT} "const char html_${name}[] = {\n${bytes}\n};\nconst size_t html_${name}_size = sizeof html_${name};\n"
        "const char html_${name}_hash[] = \"sha256-${hash}\";\n")
endfunction()

# shorten(OUTPUT FILE...): the files as one, without what readers of the source alone need.
function(shorten output)
    file(WRITE ${output} "")
    foreach(file IN LISTS ARGN)
        file(READ ${file} text)
        string(REGEX REPLACE "(^|\n)[ \t]*(//[^\n]*|/\\*([^*]|\\*+[^*/])*\\*+/)" "\\1" text "${text}")
        string(REGEX REPLACE "\n[ \t\n]+" "\n" text "${text}")
        file(APPEND ${output} "${text}")
    endforeach()
endfunction()

file(WRITE ${OUTPUT} "#include <stddef.h>\n\n")
shorten(${OUTPUT}.css ${STYLE})
shorten(${OUTPUT}.js ${SCRIPT})
put(style ${OUTPUT}.css)
put(script ${OUTPUT}.js)
