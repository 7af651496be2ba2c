# How every file of ours is compiled: warnings are errors, with gcc and with clang.
add_library(baton_flags INTERFACE)
target_include_directories(baton_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(baton_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wswitch-enum -Wnon-virtual-dtor -Woverloaded-virtual -Werror
  # A designated initializer that leaves members to their defaults is how we write options.
  -Wno-missing-field-initializers)
# No path of this machine gets into an object: the same file gives the same bytes in another folder.
add_compile_options(-ffile-prefix-map=${CMAKE_BINARY_DIR}=build -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
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
set(can_cache 1)
if(CCACHE)  # it ends with an error where its cache cannot be written
  execute_process(COMMAND sh -c "folder=$(\"$0\" --get-config cache_dir) && mkdir -p \"$folder\" && test -w \"$folder\"" ${CCACHE}
    RESULT_VARIABLE can_cache ERROR_QUIET)
endif()
if(can_cache EQUAL 0)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_IGNOREOPTIONS=-ffile-prefix-map=* ${CCACHE})
endif()

# baton_units(OUT NAME ROOT files...): what is compiled for these files of the folder ROOT. A compiler that reads the
# headers once for several files takes a third of the time, so a build from scratch compiles the files of a folder as
# one (at most unit_bytes_max of them); with BATON_UNITY=OFF each is compiled by itself.
set(unit_bytes_max 160000)
# The stream's reader takes a tenth more instructions where a large unit keeps the compiler from inlining in it.
set(compiled_alone src/runtime/claude_stream.cc)
function(baton_units out name root)
  if(NOT BATON_UNITY)
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(units)
  foreach(file IN LISTS compiled_alone)
    if(${CMAKE_SOURCE_DIR}/${file} IN_LIST ARGN)
      list(APPEND units ${CMAKE_SOURCE_DIR}/${file})
      list(REMOVE_ITEM ARGN ${CMAKE_SOURCE_DIR}/${file})
    endif()
  endforeach()
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

# baton_walls(OUT ROOM): the folders that src/walls.txt lets a folder know, its inner rooms' among them.
set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/walls.txt)
file(STRINGS ${CMAKE_SOURCE_DIR}/src/walls.txt BATON_WALLS REGEX "^[a-z]")
function(baton_walls out room)
  set(folders "")
  foreach(line IN LISTS BATON_WALLS)
    if(line MATCHES "^${room}(/[a-z]+)?:(.*)$")
      separate_arguments(known UNIX_COMMAND "${CMAKE_MATCH_2}")
      list(TRANSFORM known REPLACE "/.*" "")
      list(APPEND folders ${known})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  list(REMOVE_ITEM folders ${room} baton)  # itself, and a header alone
  set(${out} ${folders} PARENT_SCOPE)
endfunction()

# baton_library(NAME PARTS parts... [SPEED level]): the files of src/NAME as one library, linked with what src/walls.txt
# lets it know. SPEED: how a release compiles what a run spends its time in, as the guard shows; elsewhere -O1 is as good
# (docs/decisions/0025). SECTIONS: the linker may leave out each function that a program does not use, where the files of
# a room, compiled as one, would bring all of them.
function(baton_library name)
  cmake_parse_arguments(ARG "SECTIONS" "SPEED" "PARTS" ${ARGN})
  baton_walls(known ${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cc)
  baton_units(units ${name} ${CMAKE_SOURCE_DIR}/src ${sources})
  add_library(baton_${name} STATIC ${units})
  if(ARG_SPEED)
    target_compile_options(baton_${name} PRIVATE $<$<CONFIG:Release>:${ARG_SPEED}>)
  endif()
  if(ARG_SECTIONS)
    target_compile_options(baton_${name} PRIVATE -ffunction-sections -fdata-sections)
  endif()
  target_link_libraries(baton_${name} PUBLIC baton_flags)
  foreach(other IN LISTS known)
    target_link_libraries(baton_${name} PUBLIC baton_${other})
  endforeach()
  foreach(part IN LISTS ARG_PARTS)
    target_link_libraries(baton_${name} PUBLIC part_${part})
  endforeach()
endfunction()

# baton_program(NAME ROOM room [STATIC]): a program in <build>/bin, of a folder of src or a file there.
function(baton_program name)
  cmake_parse_arguments(ARG "STATIC" "ROOM" "" ${ARGN})
  set(sources ${CMAKE_SOURCE_DIR}/src/${ARG_ROOM})
  if(IS_DIRECTORY ${sources})
    file(GLOB sources CONFIGURE_DEPENDS ${sources}/*.cc)
  endif()
  baton_walls(known ${ARG_ROOM})
  baton_units(units ${name} ${CMAKE_SOURCE_DIR}/src ${sources})
  add_executable(${name} ${units})
  target_link_libraries(${name} PRIVATE baton_flags)
  foreach(other IN LISTS known)
    target_link_libraries(${name} PRIVATE baton_${other})
  endforeach()
  if(ARG_STATIC AND NOT BATON_SANITIZE)
    target_link_options(${name} PRIVATE -static -Wl,--gc-sections)  # small: it outlives all the others
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endfunction()
