// Formats of texels as data: how many channels of which kind lie in memory.
#pragma once

#include <cstdint>
#include <string_view>

#include "vkdispatch.h"

namespace vd {

enum class Channel : uint32_t { Unorm, Float, Signed, Unsigned };

struct TexelFormat {
  vd_format format;
  const char* name;  // "rgba16_f32" without the prefix: the text form's spelling
  Channel channel;
  uint32_t channels;
  uint32_t bits;  // of a channel

  constexpr uint32_t size() const { return channels * bits / 8; }  // bytes
  // What kernels see: f32, i32 or u32.
  constexpr bool is_float() const { return channel == Channel::Unorm || channel == Channel::Float; }
};

// Null for a number that is no format.
const TexelFormat* find_texel_format(vd_format format);
const TexelFormat* find_texel_format(std::string_view name);
// Throws VD_ERR_INVALID: `what` (17) is not a format.
const TexelFormat& get_texel_format(vd_format format, const char* what);

}  // namespace vd
