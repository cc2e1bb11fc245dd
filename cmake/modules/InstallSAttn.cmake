# The places where `cmake --install` puts files: the libraries of lib/ with their headers, and
# the CMake package SAttn, which finds them as SAttn::NAME. Tools and the C library
# add themselves.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(SATTN_INSTALL_CMAKEDIR "${CMAKE_INSTALL_LIBDIR}/cmake/SAttn")
# Programs find an LLVM outside the system's folders where they were linked with it.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

get_property(libraries GLOBAL PROPERTY SATTN_LIBRARIES)
# Before the first file is written: a build may have made some targets alone, as `./dev demo` does.
set(checked ${libraries})
if(SATTN_BUILD_COMPILER)
  list(APPEND checked sparse-lsp-server sparse-opt sparse-reduce sparse-run sparse-translate)
endif()
if(SATTN_BUILD_COMPILER AND NOT SATTN_BUILD_BUNDLE)
  list(APPEND checked sattn)
endif()
list(TRANSFORM checked REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE checked)
install(CODE "
  set(files \"${checked}\")
  set(missing \"\")
  foreach(file IN LISTS files)
    if(NOT EXISTS \"\${file}\")
      list(APPEND missing \"\${file}\")
    endif()
  endforeach()
  if(missing)
    list(JOIN missing \", \" missing)
    message(FATAL_ERROR \"expected everything to be built, but these are missing: \${missing}; run ./dev build, \"
      \"or cmake --build, before cmake --install\")
  endif()")
if(SATTN_BUILD_COMPILER)
  list(APPEND libraries SAttnLLVM SAttnMLIR)
  set(headers include/sattn include/sattn-c)
  install(DIRECTORY "${PROJECT_BINARY_DIR}/include/sattn" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING PATTERN "*.inc" PATTERN CMakeFiles EXCLUDE)
else()
  set(headers include/sattn/Layout include/sattn/Reference include/sattn/Runtime)
endif()
install(TARGETS ${libraries} EXPORT SAttnTargets INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
foreach(folder ${headers})
  cmake_path(GET folder PARENT_PATH parent)
  string(REGEX REPLACE "^include" "${CMAKE_INSTALL_INCLUDEDIR}" parent "${parent}")
  install(DIRECTORY "${folder}" DESTINATION "${parent}" FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
endforeach()

install(EXPORT SAttnTargets NAMESPACE SAttn:: DESTINATION "${SATTN_INSTALL_CMAKEDIR}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/SAttnConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/SAttnConfig.cmake" INSTALL_DESTINATION "${SATTN_INSTALL_CMAKEDIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/SAttnConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/SAttnConfig.cmake" "${PROJECT_BINARY_DIR}/SAttnConfigVersion.cmake"
  DESTINATION "${SATTN_INSTALL_CMAKEDIR}")
