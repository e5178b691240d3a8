# What the library is built from; docs/dependencies.md says why. All third-party headers are SYSTEM: our warnings are
# for our own code.
find_package(Threads REQUIRED)

# {fmt} and xxHash from their headers: the shared libfmt would be one more run-time library. What {fmt} 9's headers leave
# to its library is compiled here, once; with another version its headers do it all, in every file, which takes longer.
find_package(fmt CONFIG REQUIRED)
find_path(VD_XXHASH_INCLUDE xxhash.h REQUIRED)
add_library(vd_common_deps INTERFACE)
if(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
  add_library(vd_fmt STATIC "${CMAKE_CURRENT_LIST_DIR}/fmt.cpp")
  target_include_directories(vd_fmt SYSTEM PUBLIC $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(vd_fmt PRIVATE vd_flags)
  target_link_libraries(vd_common_deps INTERFACE vd_fmt)
else()
  target_link_libraries(vd_common_deps INTERFACE fmt::fmt-header-only)
endif()
target_link_libraries(vd_common_deps INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
target_include_directories(vd_common_deps SYSTEM INTERFACE ${VD_XXHASH_INCLUDE})

# Vulkan headers, volk, VMA, VkFFT and OpenCL headers: newer than Debian 12's, unpacked by '.ci/setup headers'.
set(VD_DEPS_INCLUDE "${PROJECT_SOURCE_DIR}/build/deps/include" CACHE PATH "Vulkan headers, volk, VMA, OpenCL headers")
if(NOT EXISTS "${VD_DEPS_INCLUDE}/volk.h" AND VD_SETUP_HEADERS)
  execute_process(COMMAND "${PROJECT_SOURCE_DIR}/.ci/setup" headers)
endif()
add_library(vd_driver_headers INTERFACE)
target_include_directories(vd_driver_headers SYSTEM INTERFACE "${VD_DEPS_INCLUDE}")
# Drivers are found at run time: no prototypes to link against.
target_compile_definitions(vd_driver_headers INTERFACE VK_NO_PROTOTYPES CL_TARGET_OPENCL_VERSION=300)

macro(vd_switch_off backend reason)
  message(WARNING "the ${backend} backend is switched off: ${reason}")
  set(VD_BACKEND_${backend} OFF)
endmacro()

if(VD_BACKEND_VULKAN AND NOT EXISTS "${VD_DEPS_INCLUDE}/volk.h")
  vd_switch_off(VULKAN "no volk.h in ${VD_DEPS_INCLUDE}; run .ci/setup headers")
endif()
if(VD_BACKEND_OPENCL AND NOT EXISTS "${VD_DEPS_INCLUDE}/CL/cl.h")
  vd_switch_off(OPENCL "no CL/cl.h in ${VD_DEPS_INCLUDE}; run .ci/setup headers")
endif()

# glslang, and SPIRV-Tools whose validator we call: the package of glslang does not find its own dependencies, so they come first.
find_package(SPIRV-Tools-opt CONFIG QUIET)
find_package(glslang CONFIG QUIET)
if(VD_BACKEND_VULKAN AND NOT TARGET glslang::SPIRV)
  vd_switch_off(VULKAN "glslang's development package was not found")
endif()
add_library(vd_glslang INTERFACE)
if(TARGET glslang::SPIRV)
  find_path(VD_SPIRV_INCLUDE SPIRV/GlslangToSpv.h PATH_SUFFIXES glslang REQUIRED)
  target_include_directories(vd_glslang SYSTEM INTERFACE "${VD_SPIRV_INCLUDE}")
  target_link_libraries(vd_glslang INTERFACE glslang::SPIRV glslang::glslang
                                             glslang::glslang-default-resource-limits
                                             SPIRV-Tools-static)
endif()

# VkFFT, headers alone: a transform of Vulkan's that needs it says so.
set(VD_VKFFT ${VD_BACKEND_VULKAN})
if(VD_VKFFT AND NOT EXISTS "${VD_DEPS_INCLUDE}/vkFFT.h")
  message(WARNING "VkFFT is left out: no vkFFT.h in ${VD_DEPS_INCLUDE}; run .ci/setup headers")
  set(VD_VKFFT OFF)
endif()
