# Libraries are static. Those that use MLIR link it by the target SAttnMLIR (LinkMLIR.cmake),
# so that a program names only what it uses of ours.

# sattn_add_library(NAME SOURCES... [LINK_LIBS LIBS...] [DEPENDS TARGETS...])
# A library with no use of MLIR.
function(sattn_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_library(SAttn::${name} ALIAS ${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  target_include_directories(${name} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include;${PROJECT_BINARY_DIR}/include>")
  target_compile_features(${name} PUBLIC cxx_std_17)
  set_property(GLOBAL APPEND PROPERTY SATTN_LIBRARIES ${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# The same for a library that includes MLIR's headers: precompiled header, the
# generated headers first, RTTI and exceptions as LLVM was built.
function(sattn_add_mlir_library name)
  sattn_add_library(${name} ${ARGN})
  target_link_libraries(${name} PUBLIC SAttnMLIR)
  sattn_configure_mlir_target(${name})
endfunction()

function(sattn_configure_mlir_target name)
  set(options -fno-exceptions -fno-semantic-interposition $<$<NOT:$<BOOL:${LLVM_ENABLE_RTTI}>>:-fno-rtti>)
  target_compile_options(${name} PRIVATE ${options})
  add_dependencies(${name} SAttnIncGen)
  if(SATTN_PRECOMPILE_HEADERS AND CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND NOT CMAKE_CONFIGURATION_TYPES)
    sattn_add_precompiled_header("${options}")
    add_dependencies(${name} SAttnPCH)
    set(pch "${PROJECT_BINARY_DIR}/SAttnPCH.pch")
    target_compile_options(${name} PRIVATE
      "SHELL:-Xclang -fno-pch-timestamp" "SHELL:-include-pch ${pch}")
    # Not an entry of the dependency file: ccache would see the checkout's path in the option.
    get_target_property(sources ${name} SOURCES)
    set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS "${pch}")
  endif()
endfunction()

# The target SAttnPCH: cmake/PCH.h precompiled, for Clang. The file has the same
# bytes in every checkout, so that ccache's objects serve them all: Clang reads the
# header as standard input and in the root directory, since it writes its path into
# the file, and no time stamp; CMake's own precompiled headers have all three.
# Templates that the headers use are instantiated in it: else each file does so, in
# 6 of its 10 seconds.
function(sattn_add_precompiled_header options)
  if(TARGET SAttnPCH)
    return()
  endif()
  set(pch "${PROJECT_BINARY_DIR}/SAttnPCH.pch")
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  separate_arguments(flags NATIVE_COMMAND
    "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}} ${LLVM_DEFINITIONS} ${CMAKE_CXX_COMPILE_OPTIONS_PIC}")
  list(APPEND flags -std=c++${CMAKE_CXX_STANDARD} ${options} "-fvisibility=${CMAKE_CXX_VISIBILITY_PRESET}")
  set(folders ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    list(APPEND flags -isystem "${folder}")
  endforeach()
  add_custom_command(OUTPUT "${pch}"
    COMMAND "${CMAKE_CXX_COMPILER}" ${flags} -Xclang -fno-pch-timestamp -fpch-instantiate-templates -MD -MF "${pch}.d"
      -x c++-header - -o "${pch}" < "${PROJECT_SOURCE_DIR}/cmake/PCH.h"
    WORKING_DIRECTORY /
    DEPENDS "${PROJECT_SOURCE_DIR}/cmake/PCH.h"
    DEPFILE "${pch}.d"
    COMMENT "Precompiling MLIR's headers"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(SAttnPCH DEPENDS "${pch}")
endfunction()

# sattn_add_tool(NAME SOURCES... LINK_LIBS LIBS...): a program over MLIR.
function(sattn_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
endfunction()
