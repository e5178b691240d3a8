#include "primitives/pattern_fill.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "core/error.h"
#include "ir/emitter.h"
#include "primitives/own_kernel.h"
#include "runtime/launch.h"

namespace vd::primitives {
namespace {

using ir::Type;
using ir::ValueId;

// A pattern of 16 bytes is four words, and an odd one has as many units in its least multiple of a unit.
constexpr uint32_t kPatternUnits = runtime::Pattern::kMostBytes;

struct FillValues {
  uint32_t count, first, period, reserved;  // in units
  uint32_t units[kPatternUnits];
};

// Each invocation writes a unit: that of its number modulo the period.
ir::Kernel fill_kernel(Type element) {
  ir::Kernel kernel;
  kernel.name = "fill_pattern";
  const Type four = Type::vector(ir::Scalar::U32, 4);
  const Type units = kernel.types.array(ir::kU32, kPatternUnits);
  kernel.arguments = {{VD_ARGUMENT_BUFFER, element, "destination"},
                      {VD_ARGUMENT_VARIABLE, four, "range"},
                      {VD_ARGUMENT_VARIABLE, units, "units"}};
  ir::Emitter e(kernel);
  const ValueId destination = e.leaf(ir::kOpArgument, kernel.types.array(element, 0).in(ir::Space::Storage), 0);
  const ValueId range = e.load(e.leaf(ir::kOpArgument, four.in(ir::Space::Uniform), 1));
  const ValueId list = e.leaf(ir::kOpArgument, units.in(ir::Space::Uniform), 2);
  const ValueId id = e.builtin(VD_BUILTIN_GLOBAL_ID);
  const ValueId number = e.add(e.mul(e.at(id, 1), e.bits(ir::kU32, kRow)), e.at(id, 0));
  e.begin_if(e.emit(VD_OP_LT, number, e.at(range, 0)));
  const ValueId unit = e.load(e.index(list, e.emit(VD_OP_REM, number, e.at(range, 2))));
  e.store(e.index(destination, e.add(e.at(range, 1), number)), e.convert(element, unit));
  e.end();
  return kernel;
}

uint32_t launch_fill(vd_graph& graph, vd_buffer& buffer, uint64_t offset, uint64_t size,
                     const runtime::Pattern& pattern) {
  const Ref<vd_buffer> root = buffer.root();
  const uint64_t align = binding_align(buffer.context(), buffer.device());
  const uint64_t first = buffer.span(offset, 0).begin, begin = first / align * align;
  const uint64_t all = buffer.placed({first, first}).begin | size | 4;
  const auto unit = static_cast<uint32_t>(all & (~all + 1));
  const uint64_t count = size / unit;
  const uint64_t most = std::numeric_limits<uint32_t>::max() - align;
  if (count > most)
    fail(VD_ERR_UNSUPPORTED, "size ({}) is {} units of {} bytes, and a fill has at most {}", size, count, unit, most);
  // The fewest repeats that are whole units.
  std::vector<std::byte> bytes = pattern.repeated(1);
  const size_t period = bytes.size();
  while (bytes.size() % unit != 0)
    bytes.insert(bytes.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(period));
  FillValues values{static_cast<uint32_t>(count),
                    static_cast<uint32_t>((first - begin) / unit),
                    static_cast<uint32_t>(bytes.size() / unit),
                    0,
                    {}};
  for (uint32_t i = 0; i < values.period; ++i) std::memcpy(&values.units[i], bytes.data() + size_t{i} * unit, unit);

  const Type element(unit == 4 ? ir::Scalar::U32 : unit == 2 ? ir::Scalar::U16 : ir::Scalar::U8);
  const Ref<vd_plan> plan = make_own_plan(buffer.context(), buffer.device(), fill_kernel(element));
  const uint32_t invocations[3] = {static_cast<uint32_t>(std::min<uint64_t>(count, kRow)),
                                   static_cast<uint32_t>((count + kRow - 1) / kRow), 1};
  constexpr uint32_t none[3] = {};
  const runtime::Arguments arguments(*plan, invocations, none, &values, sizeof(values), 1, [&](uint32_t) {
    const uint64_t lead = first - begin;
    return runtime::Bound{.buffer = root.get(), .offset = begin, .size = lead + size, .lead = lead};
  });
  return graph.dispatch(arguments);
}

// Records the fill, and again for another argument.
struct FillRecord {
  uint64_t size;
  runtime::Pattern pattern;

  void operator()(vd_graph& graph, const runtime::Bound* given) const {
    vd_buffer& buffer = runtime::buffer_argument(*given, size, "fill", 0);
    if (&graph.context() != &buffer.context())
      fail(VD_ERR_INVALID, "graph and {} belong to different contexts", buffer.name());
    const auto word = runtime::check_fill(buffer, given->offset, size, pattern);
    const uint32_t node = word        ? graph.fill(buffer, given->offset, size, *word)
                          : size == 0 ? graph.fill(buffer, 0, 0, 0)
                                      : launch_fill(graph, buffer, given->offset, size, pattern);
    runtime::Bound argument = *given;
    argument.size = size;
    graph.set_origin(node, {&argument, 1}, *this);
  }
};

}  // namespace

uint32_t record_fill(vd_graph& graph, vd_buffer& buffer, uint64_t offset, uint64_t size,
                     const runtime::Pattern& pattern) {
  return graph.record([&] {
    const runtime::Bound argument{&buffer, offset, size};
    FillRecord{size, pattern}(graph, &argument);
    return graph.node_count() - 1;
  });
}

}  // namespace vd::primitives
