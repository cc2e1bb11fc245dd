# The targets SAttnLLVM and SAttnMLIR: the LLVM, and the MLIR over it, that our
# libraries are linked with. They are
#  - in the bundle, the static archives, from wherever LLVM's build has them;
#  - else the shared libraries: one copy for a program and its plugins;
#  - else, where the installation has no shared ones, the static libraries.
add_library(SAttnLLVM INTERFACE)
add_library(SAttnMLIR INTERFACE)
add_library(SAttn::SAttnLLVM ALIAS SAttnLLVM)
add_library(SAttn::SAttnMLIR ALIAS SAttnMLIR)
target_include_directories(SAttnLLVM SYSTEM INTERFACE "$<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>")
target_include_directories(SAttnMLIR SYSTEM INTERFACE "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}>")

set(SATTN_SHARED_MLIR OFF)
if(SATTN_BUILD_BUNDLE)
  # Archives are searched for what is still undefined, so all may be named: only
  # the members in use are linked. lld resolves them in any order.
  file(GLOB mlir_archives "${LLVM_LIBRARY_DIR}/libMLIR*.a")
  file(GLOB llvm_archives "${LLVM_LIBRARY_DIR}/libLLVM*.a")
  if(NOT mlir_archives OR NOT llvm_archives)
    message(FATAL_ERROR "expected static archives of MLIR and LLVM in ${LLVM_LIBRARY_DIR}, but got none: "
      "install libmlir-22-dev and llvm-22-dev")
  endif()
  # Static too: not every host has zstd.
  find_library(SATTN_ZLIB NAMES libz.a REQUIRED)
  find_library(SATTN_ZSTD NAMES libzstd.a REQUIRED)
  target_link_libraries(SAttnMLIR INTERFACE ${mlir_archives})
  target_link_libraries(SAttnLLVM INTERFACE ${llvm_archives} "${SATTN_ZLIB}" "${SATTN_ZSTD}" ${CMAKE_DL_LIBS} m)
  set(kind "static archives")
elseif(TARGET MLIR AND TARGET LLVM)
  target_link_libraries(SAttnMLIR INTERFACE MLIR)
  target_link_libraries(SAttnLLVM INTERFACE LLVM)
  set(SATTN_SHARED_MLIR ON)
  set(kind "shared libraries")
else()
  # As upstream's tools do: all dialects, conversions and translations, of which
  # the linker takes the members in use. Those of upstream's tests may be missing.
  foreach(property DIALECT CONVERSION EXTENSION TRANSLATION)
    get_property(libraries GLOBAL PROPERTY MLIR_${property}_LIBS)
    list(FILTER libraries EXCLUDE REGEX "Test")
    target_link_libraries(SAttnMLIR INTERFACE ${libraries})
  endforeach()
  target_link_libraries(SAttnMLIR INTERFACE
    MLIRBytecodeReader MLIRExecutionEngine MLIRExecutionEngineUtils MLIRLspServerLib MLIROptLib MLIRParser
    MLIRReduceLib MLIRTargetLLVM)
  if(LLVM_LINK_LLVM_DYLIB)
    # MLIR's libraries name it: a second LLVM in the process would not agree with it.
    target_link_libraries(SAttnLLVM INTERFACE LLVM)
  else()
    llvm_map_components_to_libnames(llvm core native NVPTX orcjit passes support supportlsp)
    target_link_libraries(SAttnLLVM INTERFACE ${llvm})
  endif()
  set(kind "static libraries")
endif()
target_link_libraries(SAttnMLIR INTERFACE SAttnLLVM)
message(STATUS "Using MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}, ${kind}")
