# Libraries are static and name only our own libraries: the program that links
# them chooses where LLVM comes from, libMLIR.so in development (sattn_add_tool)
# or the static archives in the bundle.

# sattn_add_library(NAME SOURCES... [LINK_LIBS LIBS...] [DEPENDS TARGETS...])
# A library with no use of LLVM.
function(sattn_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include")
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# The same for a library that includes MLIR's headers: precompiled header, the
# generated headers first, RTTI and exceptions as LLVM was built.
function(sattn_add_mlir_library name)
  sattn_add_library(${name} ${ARGN})
  sattn_configure_mlir_target(${name})
  set_property(GLOBAL APPEND PROPERTY SATTN_MLIR_LIBS ${name})
endfunction()

function(sattn_configure_mlir_target name)
  set(options -fno-exceptions -fno-semantic-interposition $<$<NOT:$<BOOL:${LLVM_ENABLE_RTTI}>>:-fno-rtti>)
  target_compile_options(${name} PRIVATE ${options})
  target_include_directories(${name} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  add_dependencies(${name} SAttnIncGen)
  if(NOT TARGET SAttnPCH)
    # Written once: a newer file would be compiled again.
    if(NOT EXISTS "${CMAKE_BINARY_DIR}/SAttnPCH.cpp")
      file(WRITE "${CMAKE_BINARY_DIR}/SAttnPCH.cpp" "")
    endif()
    add_library(SAttnPCH STATIC "${CMAKE_BINARY_DIR}/SAttnPCH.cpp")
    target_compile_options(SAttnPCH PRIVATE ${options})
    target_precompile_headers(SAttnPCH PRIVATE "${PROJECT_SOURCE_DIR}/cmake/PCH.h")
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      # ccache needs a header without a time stamp.
      target_compile_options(SAttnPCH PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    endif()
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  target_precompile_headers(${name} REUSE_FROM SAttnPCH)
endfunction()

# sattn_add_tool(NAME SOURCES... LINK_LIBS LIBS...): a program over libMLIR.so.
function(sattn_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} MLIR LLVM)
endfunction()

