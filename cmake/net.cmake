# Finds libcurl and libuv by pkg-config, for providers behind a network. STRUCTURE_HTTP=AUTO takes them when both
# are there, ON makes their absence an error, OFF builds without. Sets STRUCTURE_HAVE_HTTP and PkgConfig::HTTP.
set(STRUCTURE_HAVE_HTTP OFF)

if(NOT STRUCTURE_HTTP STREQUAL "OFF")
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(HTTP QUIET IMPORTED_TARGET libcurl>=7.87 libuv>=1.40)
  if(HTTP_FOUND)
    set(STRUCTURE_HAVE_HTTP ON)
    message(STATUS "Providers over a network: libcurl ${HTTP_libcurl_VERSION}, libuv ${HTTP_libuv_VERSION}")
  elseif(STRUCTURE_HTTP STREQUAL "ON")
    message(FATAL_ERROR "libcurl and libuv were not found by pkg-config (Debian: libcurl4-openssl-dev, libuv1-dev), "
      "or pass -DSTRUCTURE_HTTP=OFF.")
  else()
    message(STATUS "Providers over a network: none, libcurl or libuv was not found")
  endif()
endif()
