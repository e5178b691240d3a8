#include "fft/device_constants.h"

namespace vd::fft {
namespace {

using C = DeviceConstants;
constexpr NamedConstant kNamed[] = {
    {"memory_bytes", &C::memory_bytes},
    {"most_memory_bytes", &C::most_memory_bytes},
    {"burst", &C::burst},
    {"sector_rate", &C::sector_rate},
    {"two_sectors_rate", &C::two_sectors_rate},
    {"part_written_rate", &C::part_written_rate},
    {"shared_bytes", &C::shared_bytes},
    {"lanes", &C::lanes},
    {"instructions", &C::instructions},
    {"latency", &C::latency},
    {"barrier", &C::barrier},
    {"launch", &C::launch},
    {"most_words", &C::most_words},
    {"most_resident", &C::most_resident},
    {"shared_overhead", &C::shared_overhead},
    {"spill", &C::spill},
    {"free_registers", &C::free_registers},
    {"free_column_registers", &C::free_column_registers},
    {"many_warps", &C::many_warps},
    {"in_turns", &C::in_turns},
    {"workgroup_size", &C::workgroup_size},
    {"light_workgroup_size", &C::light_workgroup_size},
    {"bounded_column_invocations", &C::bounded_column_invocations},
    {"bounded_column_bytes", &C::bounded_column_bytes},
    {"bounded_column_pairs", &C::bounded_column_pairs},
    {"free_column_invocations", &C::free_column_invocations},
    {"free_column_bytes", &C::free_column_bytes},
    {"free_column_pairs", &C::free_column_pairs},
    {"row_pairs", &C::row_pairs},
    {"ring_bytes", &C::ring_bytes},
};
static_assert(sizeof(C) == std::size(kNamed) * sizeof(double));

}  // namespace

std::span<const NamedConstant> named_constants() { return kNamed; }

}  // namespace vd::fft
