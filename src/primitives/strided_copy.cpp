#include "primitives/strided_copy.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "core/error.h"
#include "ir/emitter.h"
#include "primitives/own_kernel.h"
#include "runtime/launch.h"

namespace vd::primitives {
namespace {

using ir::Type;
using ir::ValueId;

struct Axis {
  uint64_t count, from, to;  // strides in bytes
};

// Both arrays as few axes as describe them, the slowest first, and the bytes that lie together on both sides.
struct Shape {
  std::vector<Axis> axes;
  uint64_t run = 0;
  uint64_t from = 0, to = 0;  // first bytes
};

constexpr uint64_t kMostStridedUnits = std::numeric_limits<uint32_t>::max();

// The bytes from the first element to the end of the last one; throws if they do not fit in 64 bits.
uint64_t hull(const vd_strided_copy_desc& desc, const uint64_t* strides, const char* name) {
  uint64_t size = desc.element_size;
  for (uint32_t i = 0; i < VD_MAX_DIMS && desc.counts[i] != 0; ++i) {
    uint64_t reach = 0;
    if (__builtin_mul_overflow(desc.counts[i] - 1, strides[i], &reach) || __builtin_add_overflow(size, reach, &size))
      fail(VD_ERR_INVALID, "desc->{}[{}] ({}) and counts[{}] ({}) reach past 2^64 bytes", name, i, strides[i], i,
           desc.counts[i]);
  }
  return size;
}

// The bytes of each side from the first to the last.
struct StridedSizes {
  explicit StridedSizes(const vd_strided_copy_desc& desc) {
    if (desc.element_size == 0) fail(VD_ERR_INVALID, "desc->element_size (0) is zero");
    source = hull(desc, desc.source_strides, "source_strides");
    destination = hull(desc, desc.destination_strides, "destination_strides");
  }
  uint64_t source = 0, destination = 0;
};

// No two elements of the destination may share a byte: which of them it would get depends on the device.
void check_separate(const vd_strided_copy_desc& desc) {
  std::vector<std::pair<uint64_t, uint32_t>> axes;
  for (uint32_t i = 0; i < VD_MAX_DIMS && desc.counts[i] != 0; ++i)
    if (desc.counts[i] != 1) axes.emplace_back(desc.destination_strides[i], i);
  std::ranges::sort(axes);
  uint64_t extent = desc.element_size;
  for (const auto& [stride, i] : axes) {
    if (stride < extent) {
      fail(VD_ERR_INVALID, "desc->destination_strides[{}] ({}) is less than the {} bytes of the axes within it", i,
           stride, extent);
    }
    extent += (desc.counts[i] - 1) * stride;
  }
}

void check(const vd_buffer& source, const vd_buffer& destination, const vd_strided_copy_desc& desc, uint64_t from_size,
           uint64_t to_size) {
  if (&source.context() != &destination.context()) {
    fail(VD_ERR_INVALID, "source ({}) and destination ({}) belong to different contexts", source.name(),
         destination.name());
  }
  source.check_usable();
  destination.check_usable();
  destination.check_writable();
  source.check_range("desc->source_offset", desc.source_offset, from_size);
  destination.check_range("desc->destination_offset", desc.destination_offset, to_size);
  const runtime::Span from = source.span(desc.source_offset, from_size);
  const runtime::Span to = destination.span(desc.destination_offset, to_size);
  if (source.same_memory(destination) && source.placed(from).overlaps(destination.placed(to))) {
    fail(VD_ERR_INVALID, "source bytes {} to {} and destination bytes {} to {} of {} overlap", from.begin, from.end,
         to.begin, to.end, source.name());
  }
  check_separate(desc);
}

Shape simplify(const vd_strided_copy_desc& desc, uint64_t from, uint64_t to) {
  Shape shape{{}, desc.element_size, from, to};
  for (uint32_t i = 0; i < VD_MAX_DIMS && desc.counts[i] != 0; ++i)
    if (desc.counts[i] != 1)
      shape.axes.push_back({desc.counts[i], desc.source_strides[i], desc.destination_strides[i]});
  while (!shape.axes.empty() && shape.axes.back().from == shape.run && shape.axes.back().to == shape.run) {
    shape.run *= shape.axes.back().count;
    shape.axes.pop_back();
  }
  for (size_t i = shape.axes.size(); i-- > 1;) {
    Axis &outer = shape.axes[i - 1], &inner = shape.axes[i];
    if (outer.from != inner.count * inner.from || outer.to != inner.count * inner.to) continue;
    outer = {outer.count * inner.count, inner.from, inner.to};
    shape.axes.erase(shape.axes.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return shape;
}

// Bytes that divide everything, a power of two up to 16; `address`: of both memories.
uint32_t unit_of(const Shape& shape, uint64_t address) {
  uint64_t all = shape.run | shape.from | shape.to | address | 16;
  for (const Axis& axis : shape.axes) all |= axis.from | axis.to;
  return static_cast<uint32_t>(all & (~all + 1));
}

Type element_of(uint32_t unit) {
  if (unit >= 8) return Type::vector(ir::Scalar::U32, unit / 4);
  return Type(unit == 4 ? ir::Scalar::U32 : unit == 2 ? ir::Scalar::U16 : ir::Scalar::U8);
}

// Each invocation moves a unit: its number, divided by the counts from the fastest axis on, is its place on each.
// Values: {units, first of the source, first of the destination, 0}, then {count, strides, 0} of each axis, in units.
ir::Kernel strided_kernel(Type element, uint32_t axes) {
  ir::Kernel kernel;
  kernel.name = "copy_strided";
  const Type four = Type::vector(ir::Scalar::U32, 4);
  kernel.arguments = {{VD_ARGUMENT_BUFFER, element, "source"}, {VD_ARGUMENT_BUFFER, element, "destination"}};
  for (uint32_t i = 0; i <= axes; ++i)
    kernel.arguments.push_back({VD_ARGUMENT_VARIABLE, four, i == 0 ? "first" : fmt::format("axis{}", i - 1)});
  ir::Emitter e(kernel);
  const auto argument = [&](uint32_t i) {
    const Type type = i < 2 ? kernel.types.array(element, 0).in(ir::Space::Storage) : four.in(ir::Space::Uniform);
    return e.leaf(ir::kOpArgument, type, i);
  };
  const ValueId id = e.builtin(VD_BUILTIN_GLOBAL_ID);
  const ValueId first = e.load(argument(2));
  const ValueId number = e.add(e.mul(e.at(id, 1), e.bits(ir::kU32, kRow)), e.at(id, 0));
  e.begin_if(e.emit(VD_OP_LT, number, e.at(first, 0)));
  ValueId rest = number, from = e.at(first, 1), to = e.at(first, 2);
  for (uint32_t i = axes; i-- > 0;) {
    const ValueId axis = e.load(argument(3 + i));
    const ValueId at = i == 0 ? rest : e.emit(VD_OP_REM, rest, e.at(axis, 0));
    if (i != 0) rest = e.div(rest, e.at(axis, 0));
    from = e.add(from, e.mul(at, e.at(axis, 1)));
    to = e.add(to, e.mul(at, e.at(axis, 2)));
  }
  e.store(e.index(argument(1), to), e.load(e.index(argument(0), from)));
  e.end();
  return kernel;
}

// A copy that was checked, for a device.
class StridedCopy {
 public:
  StridedCopy(vd_buffer& source, vd_buffer& destination, const vd_strided_copy_desc& desc) : sizes_(desc) {
    check(source, destination, desc, sizes_.source, sizes_.destination);
    // A slice may begin between two places where bindings may, so all of the memory is bound from such a place on.
    roots_[0] = source.root();
    roots_[1] = destination.root();
    shape_ =
        simplify(desc, source.span(desc.source_offset, 0).begin, destination.span(desc.destination_offset, 0).begin);
  }

  // Calls copy(source, offset, destination, offset, size) where nothing lies between the elements, else
  // launch(arguments).
  template <class Copy, class Launch>
  auto give(uint32_t device, Copy&& copy, Launch&& launch) const {
    if (shape_.axes.empty()) return copy(*roots_[0], shape_.from, *roots_[1], shape_.to, shape_.run);
    Shape shape = shape_;
    const uint32_t unit = unit_of(shape, roots_[0]->placed({}).begin | roots_[1]->placed({}).begin);
    if (shape.run != unit) shape.axes.push_back({shape.run / unit, unit, unit});
    uint64_t units = 1;
    for (const Axis& axis : shape.axes) units *= axis.count;  // fits: the destination has as many bytes
    const uint64_t align = binding_align(roots_[1]->context(), device);
    const uint64_t begins[2] = {shape.from / align * align, shape.to / align * align};
    const uint64_t sizes[2] = {shape.from - begins[0] + sizes_.source, shape.to - begins[1] + sizes_.destination};
    if (const uint64_t most = std::max({sizes[0] / unit, sizes[1] / unit, units}); most > kMostStridedUnits) {
      fail(VD_ERR_UNSUPPORTED, "desc->counts and strides reach over {} units of {} bytes, and a copy reaches over {}",
           most, unit, kMostStridedUnits);
    }
    struct Four {
      uint32_t of[4];
    };
    const auto in_units = [&](uint64_t bytes) { return static_cast<uint32_t>(bytes / unit); };
    std::vector<Four> values{
        {{static_cast<uint32_t>(units), in_units(shape.from - begins[0]), in_units(shape.to - begins[1]), 0}}};
    for (const Axis& axis : shape.axes)
      values.push_back({{static_cast<uint32_t>(axis.count), in_units(axis.from), in_units(axis.to), 0}});
    const Ref<vd_plan> plan = make_own_plan(roots_[1]->context(), device,
                                            strided_kernel(element_of(unit), static_cast<uint32_t>(shape.axes.size())));
    const uint32_t invocations[3] = {static_cast<uint32_t>(std::min<uint64_t>(units, kRow)),
                                     static_cast<uint32_t>((units + kRow - 1) / kRow), 1};
    constexpr uint32_t none[3] = {};
    const runtime::Arguments arguments(*plan, invocations, none, values.data(),
                                       static_cast<uint32_t>(values.size() * sizeof(Four)), 2, [&](uint32_t i) {
                                         runtime::Bound bound{roots_[i].get(), begins[i], sizes[i]};
                                         bound.lead = (i == 0 ? shape.from : shape.to) - begins[i];
                                         return bound;
                                       });
    return launch(arguments);
  }

 private:
  const StridedSizes sizes_;
  Ref<vd_buffer> roots_[2];
  Shape shape_;
};

}  // namespace

vd_ticket copy_strided(vd_buffer& source, vd_buffer& destination, const vd_strided_copy_desc& desc, uint32_t queue,
                       const runtime::Waits& waits) {
  return StridedCopy(source, destination, desc)
      .give(
          source.context().queue(queue).device,
          [&](vd_buffer& from, uint64_t from_offset, vd_buffer& to, uint64_t to_offset, uint64_t size) {
            return runtime::copy(from, from_offset, to, to_offset, size, queue, waits);
          },
          [&](const runtime::Arguments& arguments) { return *runtime::launch(arguments, queue, waits, true); });
}

namespace {

// Records the copy, and again for other arguments.
struct StridedRecord {
  vd_strided_copy_desc desc;

  void operator()(vd_graph& graph, const runtime::Bound* given) const {
    const StridedSizes sizes(desc);
    vd_strided_copy_desc placed = desc;
    placed.source_offset = given[0].offset;
    placed.destination_offset = given[1].offset;
    vd_buffer& source = runtime::buffer_argument(given[0], sizes.source, "copy", 0);
    vd_buffer& destination = runtime::buffer_argument(given[1], sizes.destination, "copy", 1);
    if (&graph.context() != &source.context())
      fail(VD_ERR_INVALID, "graph and {} belong to different contexts", source.name());
    const StridedCopy copy(source, destination, placed);
    std::array<runtime::Bound, 2> arguments{given[0], given[1]};
    arguments[0].size = sizes.source;
    arguments[1].size = sizes.destination;
    const uint32_t node = copy.give(
        destination.device(),
        [&](vd_buffer& from, uint64_t from_offset, vd_buffer& to, uint64_t to_offset, uint64_t size) {
          return graph.copy(from, from_offset, to, to_offset, size);
        },
        [&](const runtime::Arguments& launched) { return graph.dispatch(launched); });
    graph.set_origin(node, arguments, *this);
  }
};

}  // namespace

uint32_t record_strided(vd_graph& graph, vd_buffer& source, vd_buffer& destination, const vd_strided_copy_desc& desc) {
  return graph.record([&] {
    const runtime::Bound arguments[] = {{&source, desc.source_offset}, {&destination, desc.destination_offset}};
    StridedRecord{desc}(graph, arguments);
    return graph.node_count() - 1;
  });
}

}  // namespace vd::primitives
