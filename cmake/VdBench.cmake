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
