// The words of a module of SPIR-V that a program brings, in the form that Vulkan's drivers take.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace vd::codegen {

// The module's words, its bytes swapped where it was written in the other order. A Simple memory model, which pyshader
// writes and Vulkan does not allow, becomes GLSL450: for a shader both mean the same. Whatever the bytes are, they are
// read as words; the checks come behind.
std::vector<uint32_t> read_spirv(std::string_view bytes);

}  // namespace vd::codegen
