# The bundle: one shared library with LLVM and MLIR inside, which has the C API
# (include/sattn-c), small programs over it, and what the GPU tests need, for hosts that have no LLVM.
# scripts/make_bundle.py makes the archive from the folder that this builds.

# sattn_add_bundle(TOOLS tool...)
# A tool `sparse-opt` is the function `int sattn::sparseOptMain(int, char **)`,
# declared in tools/sparse-opt/SparseOptMain.h, in the library SAttnSparseOptMain.
# The global property SATTN_BUNDLE_PROGRAMS names further programs to ship: ones
# that use no LLVM. Defines the target sattn-bundle, which fills
# <build>/bundle/{bin,lib}.
function(sattn_add_bundle)
  cmake_parse_arguments(ARG "" "" "TOOLS" ${ARGN})
  set(source_dir "${PROJECT_SOURCE_DIR}/cmake/bundle")

  set(SATTN_BUNDLE_INCLUDES)
  set(SATTN_BUNDLE_CASES)
  set(libraries)
  foreach(tool ${ARG_TOOLS})
    sattn_tool_names(${tool} class function)
    string(APPEND SATTN_BUNDLE_INCLUDES "#include \"${tool}/${class}Main.h\"\n")
    string(APPEND SATTN_BUNDLE_CASES
      "  if (std::strcmp(tool, \"${tool}\") == 0)\n"
      "    return sattn::${function}Main(argc, argv);\n")
    list(APPEND libraries SAttn${class}Main)
  endforeach()
  configure_file("${source_dir}/ToolMain.cpp.in" "${PROJECT_BINARY_DIR}/bundle-src/ToolMain.cpp" @ONLY)

  set(static_runtime -static-libstdc++ -static-libgcc -Wl,--gc-sections -Wl,--strip-all -Wl,-z,defs)

  add_library(sattn SHARED EXCLUDE_FROM_ALL
    $<TARGET_OBJECTS:SAttnCAPI> "${PROJECT_BINARY_DIR}/bundle-src/ToolMain.cpp" "${source_dir}/arc4random.c")
  target_include_directories(sattn PRIVATE "${PROJECT_SOURCE_DIR}/tools")
  target_link_libraries(sattn PRIVATE SAttnCAPI ${libraries})
  target_link_options(sattn PRIVATE ${static_runtime}
    -Wl,--exclude-libs,ALL -Wl,-Bsymbolic
    "-Wl,--version-script=${source_dir}/exports.map")
  set_target_properties(sattn PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bundle/lib"
    LINK_DEPENDS "${source_dir}/exports.map")

  set(programs)
  foreach(tool ${ARG_TOOLS})
    add_executable(bundle-${tool} EXCLUDE_FROM_ALL "${source_dir}/main.c")
    target_compile_definitions(bundle-${tool} PRIVATE "SATTN_TOOL=\"${tool}\"")
    target_link_libraries(bundle-${tool} PRIVATE sattn)
    set_target_properties(bundle-${tool} PROPERTIES OUTPUT_NAME ${tool})
    list(APPEND programs bundle-${tool})
  endforeach()
  get_property(extra GLOBAL PROPERTY SATTN_BUNDLE_PROGRAMS)
  foreach(program ${extra})
    target_link_options(${program} PRIVATE ${static_runtime})
    list(APPEND programs ${program})
  endforeach()
  set_target_properties(${programs} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bundle/bin"
    BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH "$ORIGIN/../lib")
  # The Python package's library, where its build found tvm-ffi.
  set(binding)
  if(TARGET sattn_binding)
    set(binding sattn_binding)
    target_link_options(sattn_binding PRIVATE -Wl,--strip-all)
    set_target_properties(sattn_binding PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bundle/lib")
  endif()
  add_custom_target(sattn-bundle DEPENDS sattn ${programs} ${binding})
endfunction()

# sattn_tool_names(sparse-opt class function): SparseOpt and sparseOpt.
function(sattn_tool_names tool class function)
  set(name)
  string(REPLACE "-" ";" words "${tool}")
  foreach(word ${words})
    string(SUBSTRING "${word}" 0 1 first)
    string(SUBSTRING "${word}" 1 -1 rest)
    string(TOUPPER "${first}" first)
    string(APPEND name "${first}${rest}")
  endforeach()
  string(SUBSTRING "${name}" 0 1 first)
  string(SUBSTRING "${name}" 1 -1 rest)
  string(TOLOWER "${first}" first)
  set(${class} "${name}" PARENT_SCOPE)
  set(${function} "${first}${rest}" PARENT_SCOPE)
endfunction()
