# Finds libllama by pkg-config. STRUCTURE_LLAMA=AUTO takes it when it is there, ON makes its absence an
# error, OFF builds without local models. Sets STRUCTURE_HAVE_LLAMA and the target structure_llama_dependency.
set(STRUCTURE_HAVE_LLAMA OFF)
if(NOT STRUCTURE_LLAMA STREQUAL "OFF")
  find_package(PkgConfig)
  if(PkgConfig_FOUND)
    pkg_check_modules(LLAMA IMPORTED_TARGET llama)
  endif()
  if(LLAMA_FOUND)
    set(STRUCTURE_HAVE_LLAMA ON)
  elseif(STRUCTURE_LLAMA STREQUAL "ON")
    message(FATAL_ERROR "libllama was not found by pkg-config. ./setup builds it, or pass -DSTRUCTURE_LLAMA=OFF.")
  endif()
endif()
