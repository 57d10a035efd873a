# Warnings, sanitizers and hardening, the same for every target.
function(structure_link_options target)
  if(STRUCTURE_SANITIZE)
    target_link_options(${target} PUBLIC -fsanitize=${STRUCTURE_SANITIZE})
  endif()
endfunction()

function(structure_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes
    -Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wwrite-strings -Wundef -Wvla
    -Wswitch-enum -Wformat=2 -fno-common)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wduplicated-cond -Wlogical-op)
  endif()
  if(STRUCTURE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(STRUCTURE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${STRUCTURE_SANITIZE} -fno-omit-frame-pointer
      -fno-sanitize-recover=all)
  else()
    target_compile_options(${target} PRIVATE -fstack-protector-strong)
  endif()
  if(STRUCTURE_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  structure_link_options(${target})
endfunction()
