# Every C or C++ file directly in bench/ is a program of its own; drivers' headers are there for the raw rivals.
file(GLOB bench_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*.c" "${PROJECT_SOURCE_DIR}/bench/*.cpp")
foreach(source ${bench_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(bench_${name} ${source})
  set_target_properties(bench_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench OUTPUT_NAME ${name})
  target_link_libraries(bench_${name} PRIVATE vkdispatch vd_flags vd_common_deps vd_driver_headers vd_glslang m)
endforeach()
