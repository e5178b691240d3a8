#include "fft/launch_values.h"

#include <algorithm>
#include <cstring>

namespace vd::fft {
namespace {

using What = LaunchNumber::What;

const char* name_of(What what) {
  constexpr const char* kNames[] = {"last_line",           "last_workgroup", "workgroups_of_row",
                                    "workgroups_of_plane", "offset",         "stride"};
  return kNames[static_cast<size_t>(what)];
}

uint64_t value_of(What what, const PassDesc& desc, const Access& access) {
  return what == What::Offset ? access.side->offset : desc.batches.back().*access.stride;
}

// The arguments of a kernel that are values, in their order.
std::vector<const ir::Argument*> values_of(const ir::Kernel& kernel) {
  std::vector<const ir::Argument*> values;
  for (const ir::Argument& argument : kernel.arguments) {
    if (argument.kind == VD_ARGUMENT_CONSTANT || argument.kind == VD_ARGUMENT_VARIABLE) values.push_back(&argument);
  }
  return values;
}

uint32_t end_of(const ir::Kernel& kernel, const ir::Argument& argument) {
  return argument.offset + static_cast<uint32_t>(kernel.types.size(argument.type));
}

}  // namespace

uint64_t value_of(const LaunchNumber& number, const PassDesc& desc, const Layout& layout) {
  const uint64_t row = layout.workgroups[0] / layout.radices.cluster;
  switch (number.what) {
    case What::LastLine:
      return line_count(desc.batches) - 1;
    case What::LastWorkgroup:
      return layout.group_count - 1;
    case What::WorkgroupsOfRow:
      return row;
    case What::WorkgroupsOfPlane:
      return row * layout.workgroups[1];
    default:
      return value_of(number.what, desc, accesses(desc).at(number.access));
  }
}

LaunchNumber first_equal(const LaunchNumber& number, const PassDesc& desc) {
  if (number.what != What::Offset && number.what != What::Stride) return number;
  const std::vector<Access> all = accesses(desc);
  const Access& own = all.at(number.access);
  const auto equal = [&](const Access& other) {
    return other.side->hidden == own.side->hidden && other.side->argument == own.side->argument &&
           value_of(number.what, desc, other) == value_of(number.what, desc, own);
  };
  return {number.what, static_cast<uint32_t>(std::ranges::find_if(all, equal) - all.begin())};
}

bool takes_offset(const Access& access) { return access.side->offset != 0; }

bool takes_stride(const PassDesc& desc, const Layout& layout, const Access& access) {
  return !layout.is_staged(desc, *access.side) && has_gaps(desc, access);
}

bool is_wide(const PassDesc& desc, const Layout& layout, const Access& access) {
  return (layout.wide && !access.mapped) || reach_of(desc, access) > kReach32;
}

Value LaunchValues::get(const LaunchNumber& number) {
  const LaunchNumber first = first_equal(number, desc_);
  const auto found = std::ranges::find(all_, first);
  if (found != all_.end()) return values_[static_cast<size_t>(found - all_.begin())];
  const ir::Type type = value_of(first, desc_, layout_) >> 32 != 0 ? ir::kU64 : ir::kU32;
  const Value argument = c_.builder().argument(VD_ARGUMENT_CONSTANT, type, name_of(first.what));
  all_.push_back(first);
  return values_.emplace_back(c_.load(argument));
}

std::vector<std::byte> launch_bytes(const ir::Kernel& kernel, const std::vector<LaunchNumber>& numbers,
                                    const PassDesc& desc, const Layout& layout) {
  if (numbers.empty()) return {};
  const std::vector<const ir::Argument*> values = values_of(kernel);
  const size_t before = values.size() - numbers.size();
  const uint32_t first = values[before]->offset;
  std::vector<std::byte> bytes(end_of(kernel, *values.back()) - first);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const ir::Argument& argument = *values[before + i];
    const uint64_t value = value_of(numbers[i], desc, layout);
    std::memcpy(&bytes[argument.offset - first], &value, kernel.types.size(argument.type));  // little endian
  }
  return bytes;
}

uint32_t bytes_before(const ir::Kernel& kernel, size_t numbers) {
  const std::vector<const ir::Argument*> values = values_of(kernel);
  const size_t before = values.size() - numbers;
  return before == 0 ? 0 : end_of(kernel, *values[before - 1]);
}

}  // namespace vd::fft
