#include "fft/launch_values.h"

#include <algorithm>
#include <cstring>

#include "fft/planner.h"

namespace vd::fft {
namespace {

using What = LaunchNumber::What;

const char* name_of(What what) {
  constexpr const char* kNames[] = {
      "last_line", "last_workgroup", "workgroups_of_row", "workgroups_of_plane", "bundles",
      "offset",    "stride",         "copy_stride"};
  return kNames[static_cast<size_t>(what)];
}

uint64_t value_of(What what, const PassDesc& desc, const Access& access) {
  if (what == What::Copy) return access.side->instance;
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
    case What::Bundles:
      return layout.ring.bundles;
    default:
      return value_of(number.what, desc, accesses(desc).at(number.access));
  }
}

LaunchNumber first_equal(const LaunchNumber& number, const PassDesc& desc) {
  if (number.what != What::Offset && number.what != What::Stride && number.what != What::Copy) return number;
  const std::vector<Access> all = accesses(desc);
  const Access& own = all.at(number.access);
  const auto equal = [&](const Access& other) {
    return other.side->hidden == own.side->hidden && other.side->argument == own.side->argument &&
           value_of(number.what, desc, other) == value_of(number.what, desc, own);
  };
  return {number.what, static_cast<uint32_t>(std::ranges::find_if(all, equal) - all.begin()), number.pass};
}

bool takes_offset(const Access& access) { return access.side->offset != 0; }

bool takes_copy(const Access& access) { return access.copies > 1 && access.side->instance != 0; }

bool takes_stride(const PassDesc& desc, const Layout& layout, const Access& access) {
  return !layout.is_staged(desc, *access.side) && has_gaps(desc, access);
}

bool is_wide(const PassDesc& desc, const Layout& layout, const Access& access) {
  return (layout.wide && !access.mapped) || reach_of(desc, access) > kReach32;
}

Value LaunchValues::get(const LaunchNumber& number) {
  LaunchNumber first = first_equal(number, desc_);
  first.pass = pass_;
  const auto found = std::ranges::find(all_, first);
  if (found != all_.end()) return values_[static_cast<size_t>(found - all_.begin())];
  const ir::Type type = value_of(first, desc_, layout_) >> 32 != 0 ? ir::kU64 : ir::kU32;
  const Value argument = c_.builder().argument(VD_ARGUMENT_CONSTANT, type, name_of(first.what));
  all_.push_back(first);
  return values_.emplace_back(c_.load(argument));
}

LaunchBlock launch_block(const ir::Kernel& kernel, const std::vector<LaunchNumber>& numbers) {
  const std::vector<const ir::Argument*> values = values_of(kernel);
  const size_t before = values.size() - numbers.size();
  LaunchBlock block;
  block.given = before == 0 ? 0 : end_of(kernel, *values[before - 1]);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const ir::Argument& argument = *values[before + i];
    block.places.push_back({numbers[i], argument.offset, static_cast<uint32_t>(kernel.types.size(argument.type))});
  }
  return block;
}

std::vector<std::byte> launch_bytes(const LaunchBlock& block, std::span<const PlannedPass> passes) {
  if (block.places.empty()) return {};
  const uint32_t first = block.places.front().offset;
  std::vector<std::byte> bytes(block.places.back().offset + block.places.back().size - first);
  for (const LaunchBlock::Place& place : block.places) {
    const PlannedPass& pass = passes[place.number.pass];
    const uint64_t value = value_of(place.number, pass.desc, pass.layout);
    std::memcpy(&bytes[place.offset - first], &value, place.size);  // little endian
  }
  return bytes;
}

}  // namespace vd::fft
