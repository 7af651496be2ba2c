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

# Debian ships fmt as a shared library only; cmake/fmt_library.cc compiles the headers of the versions that it knows into
# an archive. Of any other version the headers alone are taken, which compile slower.
find_path(FMT_HEADERS fmt/core.h REQUIRED)
file(STRINGS ${FMT_HEADERS}/fmt/core.h fmt_version REGEX "^#define FMT_VERSION ")
if(fmt_version MATCHES "FMT_VERSION (9|10)[0-9][0-9][0-9][0-9]")
  add_library(part_fmt STATIC ${CMAKE_SOURCE_DIR}/cmake/fmt_library.cc)
else()
  add_library(part_fmt INTERFACE)
  target_compile_definitions(part_fmt INTERFACE FMT_HEADER_ONLY)
endif()


part(boost_json ARCHIVE libboost_json.a)
# Later versions of RE2 stand on Abseil, which Debian ships as archives.
find_path(RE2_HEADERS re2/re2.h REQUIRED)
file(STRINGS ${RE2_HEADERS}/re2/re2.h re2_on_absl REGEX "#include \"absl/")
set(re2_needs)
if(re2_on_absl)
  find_package(absl CONFIG REQUIRED)
  foreach(of_absl absl_check absl_log base core_headers fixed_array flat_hash_map flat_hash_set hash inlined_vector optional span
          str_format strings synchronization)
    list(APPEND re2_needs absl::${of_absl})
  endforeach()
endif()
part(re2 ARCHIVE libre2.a LINKS ${re2_needs} Threads::Threads)
part(yaml ARCHIVE libyaml.a)
part(sqlite ARCHIVE libsqlite3.a LINKS m Threads::Threads ${CMAKE_DL_LIBS})
part(asio DEFINES BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE LINKS Threads::Threads)
if(BATON_COURIER)
  # As an archive it would want two dozen other archives, most of them for protocols we never speak.
  find_library(CURL_SHARED NAMES curl REQUIRED)
  part(curl LINKS ${CURL_SHARED})
endif()
# Its description of terminals (tinfo) is a library of its own.
find_library(PART_tinfo NAMES libtinfo.a REQUIRED)
part(ncurses ARCHIVE libncursesw.a LINKS ${PART_tinfo})
# What it knows of characters are tables (docs/decisions/0027).
part(utf8proc ARCHIVE libutf8proc.a DEFINES UTF8PROC_STATIC)
part(toml)
part(cli11)

# Debian ships simdjson as a shared library only. cmake/simdjson_library.cc opens it when the first line is to be read, so
# that commands which read none do not pay for loading it (docs/decisions/0011).
find_library(SIMDJSON_SHARED NAMES simdjson REQUIRED)
file(REAL_PATH ${SIMDJSON_SHARED} simdjson_file)
get_filename_component(simdjson_name ${simdjson_file} NAME)
string(REGEX REPLACE "^(libsimdjson\\.so\\.[0-9]+).*" "\\1" simdjson_name ${simdjson_name})
add_library(part_simdjson STATIC ${CMAKE_SOURCE_DIR}/cmake/simdjson_library.cc)
target_compile_definitions(part_simdjson PRIVATE SIMDJSON_LIBRARY="${simdjson_name}")
target_link_libraries(part_simdjson INTERFACE ${CMAKE_DL_LIBS})
