# Headers, both libraries, the program, tendril.pc, and a CMake package:
#     find_package(tendril)                     tendril::tendril, the shared library
#     find_package(tendril COMPONENTS static)   tendril::tendril_static too, with what it links
include(CMakePackageConfigHelpers)

set(PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tendril)
set(PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Two export sets: linking the shared library must not ask for what the static one links.
foreach(library tendril tendril_static)
  install(TARGETS ${library} EXPORT ${library})
  install(EXPORT ${library} NAMESPACE tendril:: DESTINATION ${PACKAGE_DIR})
endforeach()
install(DIRECTORY include/tendril DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

configure_package_config_file(cmake/tendrilConfig.cmake.in tendrilConfig.cmake
                              INSTALL_DESTINATION ${PACKAGE_DIR})
write_basic_package_version_file(tendrilConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tendrilConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/tendrilConfigVersion.cmake DESTINATION ${PACKAGE_DIR})

# tendril.pc finds its prefix from its own place, so that an installed tree can be moved. It names what the static library links
# by itself: with Requires.private the shared one, too, would ask for the development packages of all that.
foreach(module ${TENDRIL_REQUIRES})
  list(APPEND TENDRIL_LIBS_PRIVATE ${TENDRIL_${module}_STATIC_LDFLAGS})
endforeach()
list(FILTER TENDRIL_LIBS_PRIVATE EXCLUDE REGEX "^-L/usr/lib")
list(REMOVE_DUPLICATES TENDRIL_LIBS_PRIVATE)
list(JOIN TENDRIL_LIBS_PRIVATE " " PC_LIBS_PRIVATE)
file(RELATIVE_PATH PC_TO_PREFIX /prefix/${PKGCONFIG_DIR} /prefix)
string(REGEX REPLACE "/$" "" PC_TO_PREFIX "${PC_TO_PREFIX}")
configure_file(cmake/tendril.pc.in tendril.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tendril.pc DESTINATION ${PKGCONFIG_DIR})

if(TARGET tendril_program)
  install(TARGETS tendril_program)
  install(TARGETS tendril_fmu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tendril)
  # The manual pages are what the program says of itself.
  if(NOT CMAKE_CROSSCOMPILING AND NOT TENDRIL_SANITIZE)
    add_custom_command(OUTPUT man/tendril.1
      COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/scripts/make-man $<TARGET_FILE:tendril_program> man
      DEPENDS tendril_program scripts/make-man COMMENT "Writing the manual pages" VERBATIM)
    add_custom_target(tendril_man ALL DEPENDS man/tendril.1)
    install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL
            FILES_MATCHING PATTERN "*.1")
  endif()
endif()
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/tendril OPTIONAL)
install(DIRECTORY papers DESTINATION ${CMAKE_INSTALL_DATADIR}/tendril OPTIONAL
        FILES_MATCHING PATTERN "*.md" PATTERN "*.yaml")
# the page, where it was built
install(DIRECTORY viewer/dist/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tendril/viewer OPTIONAL)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/tendril)
