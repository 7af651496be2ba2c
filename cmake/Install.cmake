# What is installed: the programs, and `libbaton` with its header and a package for find_package(baton).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# One archive with all of ours in it, so that nobody has to know our folders. What Debian's packages bring is named by the
# package's configuration.
set(objects)
foreach(folder base text plan core dialect skill price runtime io host courier embed)
  list(APPEND objects $<TARGET_OBJECTS:baton_${folder}>)
endforeach()
get_target_property(kind part_fmt TYPE)
if(NOT kind STREQUAL "INTERFACE_LIBRARY")
  list(APPEND objects $<TARGET_OBJECTS:part_fmt>)
endif()
add_library(libbaton STATIC ${objects} $<TARGET_OBJECTS:part_simdjson>)
set_target_properties(libbaton PROPERTIES OUTPUT_NAME baton EXPORT_NAME baton LINKER_LANGUAGE CXX)
target_include_directories(libbaton INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(libbaton INTERFACE cxx_std_20)

install(TARGETS libbaton EXPORT batonTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(FILES ${CMAKE_SOURCE_DIR}/include/baton/baton.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/baton COMPONENT library)
install(EXPORT batonTargets NAMESPACE baton:: FILE batonTargets.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/baton COMPONENT library)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/batonConfig.cmake.in ${CMAKE_BINARY_DIR}/batonConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/baton)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/batonConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/batonConfig.cmake ${CMAKE_BINARY_DIR}/batonConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/baton COMPONENT library)

install(TARGETS baton baton-holder baton-courier RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
