# Every C or C++ file directly in bench/ is a program of its own, and so is every folder of such files; drivers' headers are there
# for the raw rivals. Shaders (.comp) of a folder become headers with their SPIR-V, "saxpy.comp.h" with `saxpy_comp`.
find_program(VD_GLSLANG_VALIDATOR glslangValidator)

# Tests need no more than the libraries below, and these take long to compile.
add_custom_target(benchmarks)

function(vd_bench name)
  add_executable(bench_${name} EXCLUDE_FROM_ALL ${ARGN})
  add_dependencies(benchmarks bench_${name})
  set_target_properties(bench_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench OUTPUT_NAME ${name})
  target_link_libraries(bench_${name} PRIVATE vkdispatch vd_flags vd_common_deps vd_driver_headers vd_glslang m)
endfunction()

file(GLOB bench_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*.c" "${PROJECT_SOURCE_DIR}/bench/*.cpp")
foreach(source ${bench_sources})
  get_filename_component(name ${source} NAME_WE)
  vd_bench(${name} ${source})
endforeach()
target_link_libraries(bench_cache PRIVATE vd_internal)  # no entry of the library is as narrow

# The launch benchmarks as libraries too: bench/launch_library.h.
foreach(name launch_cuda launch_opencl)
  add_library(bench_lib${name} MODULE "${PROJECT_SOURCE_DIR}/bench/${name}.c")
  set_target_properties(bench_lib${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench PREFIX ""
                                                    OUTPUT_NAME lib${name} C_VISIBILITY_PRESET hidden)
  target_compile_definitions(bench_lib${name} PRIVATE LAUNCH_LIBRARY)
  target_link_libraries(bench_lib${name} PRIVATE vkdispatch vd_flags vd_common_deps vd_driver_headers m)
endforeach()

# And the raw rival of Vulkan, for bench/kp.py.
add_library(bench_libraw_vulkan MODULE "${PROJECT_SOURCE_DIR}/bench/launch/raw_vulkan.c")
set_target_properties(bench_libraw_vulkan PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench PREFIX ""
                                                     OUTPUT_NAME libraw_vulkan C_VISIBILITY_PRESET default)
target_link_libraries(bench_libraw_vulkan PRIVATE vd_flags vd_common_deps vd_driver_headers ${CMAKE_DL_LIBS})

# VkFFT's CUDA backend for bench/fft, where '.ci/setup cuda_headers' or a toolkit gave NVIDIA's headers. Nothing of NVIDIA's is
# linked: the benchmark opens it.
find_path(VD_CUDA_INCLUDE cuda_runtime.h HINTS "${PROJECT_SOURCE_DIR}/build/cuda_headers/nvidia/cu13/include"
                                         PATHS /usr/local/cuda/include)
file(GLOB nvrtc_folders "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu13/include")
find_path(VD_NVRTC_INCLUDE nvrtc.h HINTS ${nvrtc_folders} "${VD_CUDA_INCLUDE}")
if(VD_VKFFT AND VD_CUDA_INCLUDE AND VD_NVRTC_INCLUDE)
  add_library(bench_libvkfft_cuda MODULE EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/bench/fft/module/vkfft_cuda.cpp")
  add_dependencies(benchmarks bench_libvkfft_cuda)
  set_target_properties(bench_libvkfft_cuda PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench PREFIX ""
                                                       OUTPUT_NAME libvkfft_cuda CXX_VISIBILITY_PRESET default)
  target_include_directories(bench_libvkfft_cuda SYSTEM PRIVATE "${VD_DEPS_INCLUDE}" "${VD_CUDA_INCLUDE}" "${VD_NVRTC_INCLUDE}")
  target_compile_options(bench_libvkfft_cuda PRIVATE -Os)  # its code only writes that of kernels
  target_link_libraries(bench_libvkfft_cuda PRIVATE vd_flags)
  target_link_options(bench_libvkfft_cuda PRIVATE LINKER:--unresolved-symbols=ignore-all LINKER:-z,lazy)
endif()

file(GLOB bench_folders CONFIGURE_DEPENDS LIST_DIRECTORIES true "${PROJECT_SOURCE_DIR}/bench/*")
foreach(folder ${bench_folders})
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.c" "${folder}/*.cpp")
  file(GLOB shaders CONFIGURE_DEPENDS "${folder}/*.comp")
  if(NOT IS_DIRECTORY ${folder} OR NOT sources OR (shaders AND NOT VD_GLSLANG_VALIDATOR))
    continue()
  endif()
  get_filename_component(name ${folder} NAME)
  set(headers "")
  foreach(shader ${shaders})
    get_filename_component(shader_name ${shader} NAME_WE)
    set(header "${PROJECT_BINARY_DIR}/bench/include/${shader_name}.comp.h")
    add_custom_command(OUTPUT ${header} DEPENDS ${shader}
      COMMAND ${VD_GLSLANG_VALIDATOR} -V --quiet --target-env vulkan1.2 --vn ${shader_name}_comp -o ${header} ${shader})
    list(APPEND headers ${header})
  endforeach()
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/bench/include")
  vd_bench(${name} ${sources} ${headers})
  target_include_directories(bench_${name} PRIVATE "${PROJECT_BINARY_DIR}/bench/include")
endforeach()
