# cmake --install: library, header, CMake package config, pkg-config file.
include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/vkdispatch)
install(TARGETS vkdispatch EXPORT vkdispatch-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES "${PROJECT_SOURCE_DIR}/include/vkdispatch.h" "${PROJECT_SOURCE_DIR}/include/vkdispatch_build.h" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT vkdispatch-targets NAMESPACE vkdispatch:: DESTINATION ${config_dir})
configure_package_config_file(cmake/vkdispatch-config.cmake.in vkdispatch-config.cmake INSTALL_DESTINATION ${config_dir})
# Before 1.0 a minor version may break: the same minor, or nothing.
write_basic_package_version_file(vkdispatch-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/vkdispatch-config.cmake" "${PROJECT_BINARY_DIR}/vkdispatch-config-version.cmake"
        DESTINATION ${config_dir})

# The file finds its own prefix, so that an installed tree can be moved.
file(RELATIVE_PATH VD_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" VD_PC_PREFIX "${VD_PC_PREFIX}")
configure_file(cmake/vkdispatch.pc.in vkdispatch.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/vkdispatch.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
