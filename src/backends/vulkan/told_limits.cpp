#include "backends/vulkan/told_limits.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/error.h"
#include "core/name.h"
#include "core/options.h"

namespace vd::vulkan {

ToldLimits ToldLimits::parse(const std::string& text, const std::string& source) {
  ToldLimits limits;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (word.empty()) continue;
    const size_t sign = std::min(word.find('='), word.size());
    const std::string_view name = word.substr(0, sign), value = word.substr(std::min(sign + 1, word.size()));
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool read = error == std::errc() && end == value.data() + value.size();
    if (name == "buffer_range" && read && number != 0) {
      limits.buffer_range = number;
    } else if (name == "buffer_addresses" && read && number <= 1) {
      limits.buffer_addresses = number != 0;
    } else if (name == "registers" && read && number <= UINT32_MAX) {
      limits.registers = static_cast<uint32_t>(number);
    } else if (name == "multiprocessors" && read && number <= UINT32_MAX) {
      limits.multiprocessors = static_cast<uint32_t>(number);
    } else if (name == "spin" && read && number <= 1) {
      limits.spin = number != 0;
    } else {
      fail(VD_ERR_INVALID,
           "{}: \"{}\" is not buffer_range=BYTES (at least 1), buffer_addresses=0, registers=COUNT, "
           "multiprocessors=COUNT or spin=1.",
           source, shown_name(word));
    }
  }
  return limits;
}

ToldLimits ToldLimits::read() {
  const auto text = option("vulkan_limits");
  return text ? parse(*text, options().source("vulkan_limits")) : ToldLimits{};
}

void ToldLimits::apply(vd_device_info& info) const {
  info.max_storage_buffer_range = std::min(info.max_storage_buffer_range, buffer_range);
  if (registers != 0) info.registers_per_multiprocessor = registers;
  if (multiprocessors != 0) info.multiprocessor_count = multiprocessors;
  if (!buffer_addresses) info.features &= ~VD_FEATURE_BUFFER_ADDRESS;
}

}  // namespace vd::vulkan
