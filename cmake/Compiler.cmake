# How every file of ours is compiled: warnings are errors, with gcc and with clang.
add_library(baton_flags INTERFACE)
target_include_directories(baton_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(baton_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wswitch-enum -Wnon-virtual-dtor -Woverloaded-virtual -Werror
  # A designated initializer that leaves members to their defaults is how we write options.
  -Wno-missing-field-initializers
  # No path of this machine gets into an object: the same file gives the same bytes in another folder.
  -ffile-prefix-map=${CMAKE_BINARY_DIR}=build -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 warns wrongly about inlined std::string and std::optional code at -O2.
  target_compile_options(baton_flags INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    # It takes every reference that a function returns for one to its argument.
    target_compile_options(baton_flags INTERFACE -Wno-dangling-reference)
  endif()
  # Half a gigabyte before the compiler first looks for garbage: a twelfth of its time.
  target_compile_options(baton_flags INTERFACE --param=ggc-min-expand=100 --param=ggc-min-heapsize=524288)
endif()
if(BATON_UNITY)
  # What these say of a .cc file is not so where several are compiled as one. Plain builds, clang-tidy's too, have them on.
  target_compile_options(baton_flags INTERFACE -Wno-shadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(baton_flags INTERFACE -Wno-subobject-linkage)
  endif()
endif()
target_compile_definitions(baton_flags INTERFACE BATON_VERSION="${PROJECT_VERSION}")

if(BATON_SANITIZE)
  target_compile_options(baton_flags INTERFACE -fsanitize=${BATON_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(baton_flags INTERFACE -fsanitize=${BATON_SANITIZE})
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Fewer shared libraries to load: every `baton` command starts faster.
  target_link_options(baton_flags INTERFACE -static-libstdc++ -static-libgcc)
endif()

find_program(MOLD mold)
if(MOLD)
  target_link_options(baton_flags INTERFACE -fuse-ld=mold)
endif()
# A clone of the same commit elsewhere on the machine compiles almost nothing: ccache sees paths relative to the clone.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_IGNOREOPTIONS=-ffile-prefix-map=* ${CCACHE})
endif()

# baton_units(OUT NAME ROOT files...): what is compiled for these files of the folder ROOT. A compiler that reads the
# headers once for several files takes a third of the time, so a build from scratch compiles the files of a folder as
# one (at most unit_bytes_max of them); with BATON_UNITY=OFF each is compiled by itself.
set(unit_bytes_max 160000)
function(baton_units out name root)
  if(NOT BATON_UNITY)
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(units)
  set(text "")
  set(bytes 0)
  set(folder "")
  foreach(file IN LISTS ARGN ITEMS "")
    cmake_path(GET file PARENT_PATH in)
    set(size 0)
    if(file)
      file(SIZE ${file} size)
    endif()
    math(EXPR sum "${bytes} + ${size}")
    if(text AND (NOT in STREQUAL folder OR sum GREATER unit_bytes_max))
      list(LENGTH units n)
      set(unit ${CMAKE_CURRENT_BINARY_DIR}/units/${name}/${n}.cc)
      file(CONFIGURE OUTPUT ${unit} CONTENT "${text}" @ONLY)
      list(APPEND units ${unit})
      set(text "")
      set(sum ${size})
    endif()
    set(folder "${in}")
    set(bytes ${sum})
    if(file)
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${root})
      string(APPEND text "#include \"${file}\"\n")
    endif()
  endforeach()
  set(${out} ${units} PARENT_SCOPE)
endfunction()

# baton_library(NAME KNOWS folders... PARTS parts... [HOT]): the files of src/NAME as one library. HOT: what a run spends
# its time in, compiled with -O2 in a release; elsewhere -O1 is as good (docs/decisions/0025).
function(baton_library name)
  cmake_parse_arguments(ARG "HOT" "" "KNOWS;PARTS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cc)
  baton_units(units ${name} ${CMAKE_SOURCE_DIR}/src ${sources})
  add_library(baton_${name} STATIC ${units})
  if(ARG_HOT)
    target_compile_options(baton_${name} PRIVATE $<$<CONFIG:Release>:-O2>)
  endif()
  target_link_libraries(baton_${name} PUBLIC baton_flags)
  foreach(other IN LISTS ARG_KNOWS)
    target_link_libraries(baton_${name} PUBLIC baton_${other})
  endforeach()
  foreach(part IN LISTS ARG_PARTS)
    target_link_libraries(baton_${name} PUBLIC part_${part})
  endforeach()
endfunction()

# baton_program(NAME SOURCES file-or-folder KNOWS folders... [STATIC]): a program in <build>/bin.
function(baton_program name)
  cmake_parse_arguments(ARG "STATIC" "SOURCES" "KNOWS" ${ARGN})
  if(IS_DIRECTORY ${CMAKE_SOURCE_DIR}/${ARG_SOURCES})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${ARG_SOURCES}/*.cc)
  else()
    set(sources ${CMAKE_SOURCE_DIR}/${ARG_SOURCES})
  endif()
  baton_units(units ${name} ${CMAKE_SOURCE_DIR}/src ${sources})
  add_executable(${name} ${units})
  target_link_libraries(${name} PRIVATE baton_flags)
  foreach(other IN LISTS ARG_KNOWS)
    target_link_libraries(${name} PRIVATE baton_${other})
  endforeach()
  if(ARG_STATIC AND NOT BATON_SANITIZE)
    target_link_options(${name} PRIVATE -static)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endfunction()
