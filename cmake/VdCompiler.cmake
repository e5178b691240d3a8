# Language, visibility, warnings, sanitizers and ccache: what every target of ours has in common.
include(GNUInstallDirs)

set(CMAKE_C_STANDARD 11)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(VD_CCACHE ccache)
  if(VD_CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER ${VD_CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${VD_CCACHE})
  endif()
endif()

add_library(vd_flags INTERFACE)
# Paths in messages and debug information are from the project's root: the same build anywhere gives the same bytes.
target_compile_options(vd_flags INTERFACE -Wall -Wextra -Wpedantic "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees overflows in std::vector and std::string that are not there once it has inlined them.
  target_compile_options(vd_flags INTERFACE
    $<$<CONFIG:Release>:-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-restrict;-Wno-array-bounds>
    # And takes a file that another includes for a header, whose types should have no members of unnamed namespaces.
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
if(VD_WARNINGS_AS_ERRORS)
  target_compile_options(vd_flags INTERFACE -Werror)
endif()
if(VD_SANITIZE)
  target_compile_options(vd_flags INTERFACE -fsanitize=${VD_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(vd_flags INTERFACE -fsanitize=${VD_SANITIZE})
  if(VD_SANITIZE MATCHES undefined)
    # glslang is built without RTTI, which the check of virtual calls needs.
    target_compile_options(vd_flags INTERFACE -fno-sanitize-recover=undefined -fno-sanitize=vptr)
  endif()
endif()
if(VD_FUZZ)
  target_compile_options(vd_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
