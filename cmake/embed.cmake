# cmake -DINPUT=FILE -DOUTPUT=FILE.c -DNAME=NAME -DHEADER=HEADER -P embed.cmake
# Writes the bytes of INPUT as `const unsigned char NAME[]` with `NAME_size`. Needs nothing but CMake.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
get_filename_component(file ${OUTPUT} NAME)
get_filename_component(from ${INPUT} NAME)
file(WRITE ${OUTPUT} "/* ${file} - ${from}, written by cmake/embed.cmake. */
#include \"base/features.h\"

#include \"${HEADER}\"

const unsigned char ${NAME}[] = {
${bytes}
};
const size_t ${NAME}_size = sizeof(${NAME});
")
