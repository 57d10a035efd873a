# The functions that turn folders of sources into targets. Every source is compiled once: the objects of a
# module are shared by its static library (what tests link) and by both forms of libstructure.
find_package(Threads REQUIRED)

# Sources that are not part of a module in this build: the program's main, and one side of local models.
set(STRUCTURE_SOURCES_LEFT_OUT ${CMAKE_SOURCE_DIR}/src/cli/main.c)
file(GLOB local_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/model/local_*.c)
foreach(source ${local_sources})
  file(STRINGS ${source} with_llama REGEX "#include ([<]llama.h|\"model/local_llama.h)")
  if((with_llama AND NOT STRUCTURE_HAVE_LLAMA) OR (source MATCHES "local_none" AND STRUCTURE_HAVE_LLAMA))
    list(APPEND STRUCTURE_SOURCES_LEFT_OUT ${source})
  endif()
endforeach()

if(STRUCTURE_HAVE_YAML)
  list(APPEND STRUCTURE_SOURCES_LEFT_OUT ${CMAKE_SOURCE_DIR}/src/cli/yaml_none.c)
else()
  list(APPEND STRUCTURE_SOURCES_LEFT_OUT ${CMAKE_SOURCE_DIR}/src/cli/yaml.c)
endif()

if(STRUCTURE_HAVE_HTTP)
  list(APPEND STRUCTURE_SOURCES_LEFT_OUT ${CMAKE_SOURCE_DIR}/src/net/http_none.c)
else()
  file(GLOB curl_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/net/http_curl*.c)
  list(APPEND STRUCTURE_SOURCES_LEFT_OUT ${curl_sources})
endif()

# What a library and a program that only validate do without.
if(STRUCTURE_ONLY_VALIDATE)
  file(GLOB extract_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/cli/command_extract.c
    ${CMAKE_SOURCE_DIR}/src/cli/command_models.c ${CMAKE_SOURCE_DIR}/src/cli/extract_*.c
    ${CMAKE_SOURCE_DIR}/src/cli/dry_run.c ${CMAKE_SOURCE_DIR}/src/cli/grounding*.c
    ${CMAKE_SOURCE_DIR}/src/cli/model_source.c ${CMAKE_SOURCE_DIR}/src/cli/config.c
    ${CMAKE_SOURCE_DIR}/src/cli/key_source.c ${CMAKE_SOURCE_DIR}/src/cli/command_tool.c
    ${CMAKE_SOURCE_DIR}/src/cli/command_codegen.c
    ${CMAKE_SOURCE_DIR}/src/cli/tool_*.c ${CMAKE_SOURCE_DIR}/src/cli/models_*.c ${CMAKE_SOURCE_DIR}/src/api/call.c
    ${CMAKE_SOURCE_DIR}/src/api/model*.c ${CMAKE_SOURCE_DIR}/src/api/request.c ${CMAKE_SOURCE_DIR}/src/api/conversation.c)
  list(APPEND STRUCTURE_SOURCES_LEFT_OUT ${extract_sources})
endif()

# structure_module(name DEPENDS module...): src/<name>/*.c as the static library structure_<name>.
function(structure_module name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.c)
  list(REMOVE_ITEM sources ${STRUCTURE_SOURCES_LEFT_OUT})
  if(NOT sources)
    return()
  endif()
  add_library(objects_${name} OBJECT ${sources})
  target_include_directories(objects_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_compile_definitions(objects_${name} PRIVATE
    STRUCTURE_HAVE_LLAMA=$<BOOL:${STRUCTURE_HAVE_LLAMA}>
    STRUCTURE_HAVE_HTTP=$<BOOL:${STRUCTURE_HAVE_HTTP}>
    STRUCTURE_HAVE_EXTRACT=$<NOT:$<BOOL:${STRUCTURE_ONLY_VALIDATE}>>)
  structure_warnings(objects_${name})

  add_library(structure_${name} STATIC $<TARGET_OBJECTS:objects_${name}>)
  target_include_directories(structure_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  structure_link_options(structure_${name})
  foreach(dependency ${ARG_DEPENDS})
    if(TARGET structure_${dependency})
      target_link_libraries(structure_${name} PUBLIC structure_${dependency})
    endif()
  endforeach()
  if(NOT name STREQUAL "cli")
    set_property(GLOBAL APPEND PROPERTY STRUCTURE_OBJECTS $<TARGET_OBJECTS:objects_${name}>)
  endif()
endfunction()

# structure_embed(module file name header): the bytes of a file of data as a constant of that module.
function(structure_embed module file name header)
  if(NOT TARGET objects_${module})
    return()
  endif()
  set(input ${CMAKE_SOURCE_DIR}/${file})
  set(script ${CMAKE_SOURCE_DIR}/cmake/embed.cmake)
  set(output ${CMAKE_BINARY_DIR}/generated/${name}.c)
  add_custom_command(OUTPUT ${output} DEPENDS ${input} ${script}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${output} -DNAME=${name} -DHEADER=${header} -P ${script})
  target_sources(objects_${module} PRIVATE ${output})
endfunction()

# Only src/model/local_*.c see the headers of libllama.
function(structure_model_links_llama)
  if(STRUCTURE_HAVE_LLAMA AND TARGET objects_model)
    target_link_libraries(objects_model PRIVATE PkgConfig::LLAMA)
    target_link_libraries(structure_model PUBLIC PkgConfig::LLAMA)
  endif()
endfunction()

# Only src/net/http_curl*.c see the headers of libcurl and libuv.
function(structure_net_links_http)
  if(STRUCTURE_HAVE_HTTP AND TARGET objects_net)
    target_link_libraries(objects_net PRIVATE PkgConfig::HTTP)
    target_link_libraries(structure_net PUBLIC PkgConfig::HTTP)
  endif()
endfunction()

# libstructure.a and libstructure.so in the build folder.
function(structure_library)
  get_property(objects GLOBAL PROPERTY STRUCTURE_OBJECTS)
  foreach(kind static shared)
    string(TOUPPER ${kind} type)
    add_library(libstructure_${kind} ${type} ${objects})
    set_target_properties(libstructure_${kind} PROPERTIES
      OUTPUT_NAME structure EXPORT_NAME ${kind}
      ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
    target_include_directories(libstructure_${kind} PUBLIC
      $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    structure_link_options(libstructure_${kind})
    target_link_libraries(libstructure_${kind} PRIVATE Threads::Threads)
    if(STRUCTURE_HAVE_LLAMA)
      target_link_libraries(libstructure_${kind} PRIVATE $<BUILD_INTERFACE:PkgConfig::LLAMA>)
    endif()
    if(STRUCTURE_HAVE_HTTP)
      target_link_libraries(libstructure_${kind} PRIVATE $<BUILD_INTERFACE:PkgConfig::HTTP>)
    endif()
  endforeach()
  set_target_properties(libstructure_shared PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${STRUCTURE_SOVERSION})
  add_library(structure::static ALIAS libstructure_static)
  add_library(structure::shared ALIAS libstructure_shared)
endfunction()

# The command line: src/cli/*.c on the static library, so that it runs from wherever it lies.
function(structure_program)
  if(NOT EXISTS ${CMAKE_SOURCE_DIR}/src/cli/main.c)
    return()
  endif()
  structure_module(cli DEPENDS api engine provider net model decode evidence projection codegen schema regex json base)
  add_executable(structure_cli_program ${CMAKE_SOURCE_DIR}/src/cli/main.c)
  set_target_properties(structure_cli_program PROPERTIES
    OUTPUT_NAME structure RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  structure_warnings(structure_cli_program)
  if(TARGET structure_cli)
    target_link_libraries(structure_cli_program PRIVATE structure_cli)
  endif()
  if(STRUCTURE_HAVE_YAML) # only src/cli/yaml.c sees its header
    target_link_libraries(objects_cli PRIVATE PkgConfig::YAML)
    target_link_libraries(structure_cli PUBLIC PkgConfig::YAML)
  endif()
  target_include_directories(structure_cli_program PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(structure_cli_program PRIVATE libstructure_static Threads::Threads)
endfunction()
