# Every C file below examples/ is a program of its own against the public library, as a user would build it.
file(GLOB_RECURSE example_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*.c")
foreach(source ${example_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  set_target_properties(example_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples OUTPUT_NAME ${name})
  target_link_libraries(example_${name} PRIVATE vkdispatch vd_flags m Threads::Threads)
endforeach()
