# Finds libllama by pkg-config: an installed one first, then the one that ./setup built into the user's
# cache. STRUCTURE_LLAMA=AUTO takes it when it is there, ON makes its absence an error, OFF builds without
# local models. Sets STRUCTURE_HAVE_LLAMA and the imported target PkgConfig::LLAMA.
set(STRUCTURE_HAVE_LLAMA OFF)

# llama_probe.c uses every part of the interface that changed between releases.
function(structure_llama_works out)
  try_compile(works ${CMAKE_BINARY_DIR}/llama_probe ${CMAKE_SOURCE_DIR}/cmake/llama_probe.c
    LINK_LIBRARIES PkgConfig::LLAMA OUTPUT_VARIABLE output)
  if(NOT works)
    message(STATUS "libllama at ${LLAMA_LIBRARY_DIRS} has another interface than the one needed")
  endif()
  set(${out} ${works} PARENT_SCOPE)
endfunction()

if(NOT STRUCTURE_LLAMA STREQUAL "OFF")
  find_package(PkgConfig REQUIRED)
  set(cache_folder "$ENV{XDG_CACHE_HOME}")
  if(NOT cache_folder)
    set(cache_folder "$ENV{HOME}/.cache")
  endif()
  set(llama_pc_folder "${cache_folder}/structure/llama/lib/pkgconfig")
  if(EXISTS "${llama_pc_folder}/llama.pc")
    set(ENV{PKG_CONFIG_PATH} "$ENV{PKG_CONFIG_PATH}:${llama_pc_folder}")
  endif()
  # Look again at each configuration: ./setup may have brought it since.
  unset(LLAMA_FOUND CACHE)
  foreach(library llama ggml ggml-base)
    unset(pkgcfg_lib_LLAMA_${library} CACHE)
  endforeach()
  pkg_check_modules(LLAMA QUIET IMPORTED_TARGET llama)
  if(LLAMA_FOUND)
    structure_llama_works(STRUCTURE_HAVE_LLAMA)
  endif()
  if(STRUCTURE_HAVE_LLAMA)
    message(STATUS "Local models: libllama ${LLAMA_VERSION} in ${LLAMA_LIBRARY_DIRS}")
  elseif(STRUCTURE_LLAMA STREQUAL "ON")
    message(FATAL_ERROR
      "libllama was not found by pkg-config. ./setup builds it, or pass -DSTRUCTURE_LLAMA=OFF.")
  else()
    message(STATUS "Local models: none, libllama was not found (./setup builds it)")
  endif()
endif()
