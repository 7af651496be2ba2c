# The parts from Debian's packages, each behind one name (docs/decisions/ says why these). Static where Debian ships an
# archive: a program that loads few shared libraries starts fast.
find_package(Threads REQUIRED)

function(part name)
  cmake_parse_arguments(ARG "" "ARCHIVE" "DEFINES;LINKS" ${ARGN})
  add_library(part_${name} INTERFACE)
  if(ARG_ARCHIVE)
    find_library(PART_${name} NAMES ${ARG_ARCHIVE} REQUIRED)
    target_link_libraries(part_${name} INTERFACE ${PART_${name}})
  endif()
  target_compile_definitions(part_${name} INTERFACE ${ARG_DEFINES})
  target_link_libraries(part_${name} INTERFACE ${ARG_LINKS})
endfunction()

# Debian ships fmt as a shared library only; cmake/fmt_library.cc compiles the same headers into an archive.
add_library(part_fmt STATIC ${CMAKE_SOURCE_DIR}/cmake/fmt_library.cc)

part(boost_json ARCHIVE libboost_json.a)
part(re2 ARCHIVE libre2.a LINKS Threads::Threads)
part(yaml ARCHIVE libyaml.a)
part(sqlite ARCHIVE libsqlite3.a LINKS m Threads::Threads ${CMAKE_DL_LIBS})
part(asio DEFINES BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE LINKS Threads::Threads)
part(toml)
part(cli11)
