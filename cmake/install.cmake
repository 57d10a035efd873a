# What `make install` puts where: both libraries, the header, the program, man pages, structure.pc and a
# CMake package.
include(CMakePackageConfigHelpers)

# What the static library needs at link time, besides the system: a pkg-config file outside the search path is
# written out, and libcurl and libuv are named as they are linked here, not with all that they need in turn.
set(private_libs "")
if(STRUCTURE_HAVE_LLAMA)
  list(APPEND private_libs ${LLAMA_LDFLAGS})
  foreach(folder ${LLAMA_LIBRARY_DIRS})
    list(APPEND private_libs "-Wl,-rpath,${folder}")
  endforeach()
endif()
if(STRUCTURE_HAVE_HTTP)
  list(APPEND private_libs ${HTTP_LDFLAGS})
endif()
string(JOIN " " STRUCTURE_PRIVATE_LIBS ${private_libs})
# The prefix is known when it is installed: cmake --install takes one.
set(STRUCTURE_PREFIX "@CMAKE_INSTALL_PREFIX@")
configure_file(packaging/structure.pc.in structure.pc.in @ONLY)
install(CODE "configure_file(${CMAKE_BINARY_DIR}/structure.pc.in ${CMAKE_BINARY_DIR}/structure.pc @ONLY)")
configure_package_config_file(packaging/structure-config.cmake.in structure-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/structure)
write_basic_package_version_file(structure-config-version.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS libstructure_static libstructure_shared EXPORT structure
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT structure NAMESPACE structure:: FILE structure-targets.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/structure)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${CMAKE_BINARY_DIR}/structure.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${CMAKE_BINARY_DIR}/structure-config.cmake ${CMAKE_BINARY_DIR}/structure-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/structure)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET structure_cli_program)
  install(TARGETS structure_cli_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# docs/man/NAME.SECTION.scd becomes the man page NAME.SECTION.
find_program(SCDOC scdoc)
file(GLOB man_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/man/*.scd)
if(SCDOC)
  foreach(source ${man_sources})
    get_filename_component(page ${source} NAME_WLE)
    string(REGEX MATCH "[0-9]$" section ${page})
    set(output ${CMAKE_BINARY_DIR}/man/${page})
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/man)
    add_custom_command(OUTPUT ${output} COMMAND ${SCDOC} < ${source} > ${output} DEPENDS ${source} VERBATIM)
    list(APPEND man_pages ${output})
    install(FILES ${output} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
  endforeach()
  if(man_pages)
    add_custom_target(man ALL DEPENDS ${man_pages})
  endif()
elseif(man_sources)
  message(STATUS "Man pages: none, scdoc was not found")
endif()
