#include "core/texel.h"

#include <algorithm>
#include <array>

#include "core/error.h"

namespace vd {
namespace {

constexpr std::array<TexelFormat, 27> kFormats{{
    {VD_FORMAT_R8_UNORM, "r8_unorm", Channel::Unorm, 1, 8},
    {VD_FORMAT_R8_U8, "r8_u8", Channel::Unsigned, 1, 8},
    {VD_FORMAT_R8_I8, "r8_i8", Channel::Signed, 1, 8},
    {VD_FORMAT_RG8_UNORM, "rg8_unorm", Channel::Unorm, 2, 8},
    {VD_FORMAT_RG8_U8, "rg8_u8", Channel::Unsigned, 2, 8},
    {VD_FORMAT_RG8_I8, "rg8_i8", Channel::Signed, 2, 8},
    {VD_FORMAT_RGBA8_UNORM, "rgba8_unorm", Channel::Unorm, 4, 8},
    {VD_FORMAT_RGBA8_U8, "rgba8_u8", Channel::Unsigned, 4, 8},
    {VD_FORMAT_RGBA8_I8, "rgba8_i8", Channel::Signed, 4, 8},
    {VD_FORMAT_R16_U16, "r16_u16", Channel::Unsigned, 1, 16},
    {VD_FORMAT_R16_I16, "r16_i16", Channel::Signed, 1, 16},
    {VD_FORMAT_R16_F16, "r16_f16", Channel::Float, 1, 16},
    {VD_FORMAT_RG16_U16, "rg16_u16", Channel::Unsigned, 2, 16},
    {VD_FORMAT_RG16_I16, "rg16_i16", Channel::Signed, 2, 16},
    {VD_FORMAT_RG16_F16, "rg16_f16", Channel::Float, 2, 16},
    {VD_FORMAT_RGBA16_U16, "rgba16_u16", Channel::Unsigned, 4, 16},
    {VD_FORMAT_RGBA16_I16, "rgba16_i16", Channel::Signed, 4, 16},
    {VD_FORMAT_RGBA16_F16, "rgba16_f16", Channel::Float, 4, 16},
    {VD_FORMAT_R32_U32, "r32_u32", Channel::Unsigned, 1, 32},
    {VD_FORMAT_R32_I32, "r32_i32", Channel::Signed, 1, 32},
    {VD_FORMAT_R32_F32, "r32_f32", Channel::Float, 1, 32},
    {VD_FORMAT_RG32_U32, "rg32_u32", Channel::Unsigned, 2, 32},
    {VD_FORMAT_RG32_I32, "rg32_i32", Channel::Signed, 2, 32},
    {VD_FORMAT_RG32_F32, "rg32_f32", Channel::Float, 2, 32},
    {VD_FORMAT_RGBA32_U32, "rgba32_u32", Channel::Unsigned, 4, 32},
    {VD_FORMAT_RGBA32_I32, "rgba32_i32", Channel::Signed, 4, 32},
    {VD_FORMAT_RGBA32_F32, "rgba32_f32", Channel::Float, 4, 32},
}};

}  // namespace

const TexelFormat* find_texel_format(vd_format format) {
  const auto found = std::ranges::find(kFormats, format, &TexelFormat::format);
  return found == kFormats.end() ? nullptr : &*found;
}

const TexelFormat* find_texel_format(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &TexelFormat::name);
  return found == kFormats.end() ? nullptr : &*found;
}

const TexelFormat& get_texel_format(vd_format format, const char* what) {
  const TexelFormat* found = find_texel_format(format);
  if (found == nullptr) fail(VD_ERR_INVALID, "{} ({}) is not a format of texels", what, static_cast<int>(format));
  return *found;
}

}  // namespace vd
