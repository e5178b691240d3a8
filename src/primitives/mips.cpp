#include "primitives/mips.h"

#include <array>

#include "core/error.h"
#include "ir/emitter.h"
#include "primitives/own_kernel.h"
#include "runtime/launch.h"

namespace vd::primitives {
namespace {

using ir::kF32;
using ir::kI32;
using ir::kU32;
using ir::Scalar;
using ir::Type;
using ir::ValueId;

// An axis of n texels becomes one of m = max(n / 2, 1). Texel i covers n of the units of which a texel of the level
// before has m: from i * n on. So each of the two or three texels that it touches has a whole number of units.
class MipWriter {
 public:
  explicit MipWriter(const vd_image& image)
      : dims_(image.desc().dimensions),
        layered_(image.desc().layers != 0),
        channel_(ir::channel_type(image.format())),
        from_(Type::image(channel_.scalar(), dims_, layered_)),
        to_(Type::image(channel_.scalar(), dims_, layered_, VD_ARGUMENT_ACCESS_WRITE, image.format().format)),
        kernel_(begin(from_, to_)),
        e_(kernel_) {}

  ir::Kernel run() {
    const ValueId from = e_.leaf(ir::kOpArgument, from_, 0), to = e_.leaf(ir::kOpArgument, to_, 1);
    const ValueId level = e_.load(e_.leaf(ir::kOpArgument, kI32.in(ir::Space::Uniform), 2));
    const ValueId before = e_.emit(VD_OP_IMAGE_SIZE, from, level), now = e_.emit(VD_OP_IMAGE_SIZE, to);
    const ValueId id = e_.builtin(VD_BUILTIN_GLOBAL_ID);
    const Type wide = sum_type(), four = Type::vector(wide.scalar(), 4);
    const ValueId sum = e_.var(e_.zero(four));
    ValueId weight = e_.constant(wide, 1);
    std::array<ValueId, 3> place{};
    for (uint32_t axis = 0; axis < dims_; ++axis) {
      const ValueId n = e_.convert(kU32, e_.at(before, axis)), m = e_.convert(kU32, e_.at(now, axis));
      const ValueId begin = e_.mul(e_.at(id, axis), n), end = e_.add(begin, n);
      const ValueId first = e_.div(begin, m), stop = e_.div(e_.add(end, e_.sub(m, one())), m);
      const ValueId t = e_.begin_for(first, stop, one());
      const ValueId left = e_.emit(VD_OP_MAX, begin, e_.mul(t, m));
      const ValueId right = e_.emit(VD_OP_MIN, end, e_.mul(e_.add(t, one()), m));
      weight = e_.mul(weight, part(e_.sub(right, left), n));
      place[axis] = t;
    }
    const ValueId at = coordinates(place, id);
    const ValueId texel = e_.convert(four, e_.emit(VD_OP_IMAGE_LOAD, from, at, level));
    e_.store(sum, e_.add(e_.load(sum), e_.mul(texel, e_.splat(four, weight))));
    for (uint32_t axis = 0; axis < dims_; ++axis) e_.end();
    ValueId mean = e_.load(sum);
    if (!is_float()) {
      ValueId all = e_.constant(wide, 1);
      for (uint32_t axis = 0; axis < dims_; ++axis) all = e_.mul(all, e_.convert(wide, e_.at(before, axis)));
      const ValueId half = e_.splat(four, e_.div(all, e_.constant(wide, 2)));
      mean = e_.emit(VD_OP_FLOORDIV, e_.add(mean, half), e_.splat(four, all));
    }
    const Type texel_type = from_.texel();
    std::array<ValueId, 3> here{};
    for (uint32_t axis = 0; axis < dims_; ++axis) here[axis] = e_.at(id, axis);
    e_.emit(VD_OP_IMAGE_STORE, Type(), {to, coordinates(here, id), e_.convert(texel_type, mean)});
    return std::move(kernel_);
  }

 private:
  static ir::Kernel begin(Type from, Type to) {
    ir::Kernel kernel;
    kernel.name = "generate_mips";
    kernel.arguments = {
        {VD_ARGUMENT_IMAGE, from, "from"}, {VD_ARGUMENT_IMAGE, to, "to"}, {VD_ARGUMENT_VARIABLE, kI32, "level"}};
    return kernel;
  }

  bool is_float() const { return channel_.is_float(); }
  ValueId one() { return e_.bits(kU32, 1); }
  // The type of sums, in which those of integers fit, since level 0 has at most 2^31 texels.
  Type sum_type() const { return is_float() ? kF32 : channel_.is_signed() ? ir::kI64 : ir::kU64; }
  ValueId part(ValueId units, ValueId n) {
    if (!is_float()) return e_.convert(sum_type(), units);
    return e_.div(e_.convert(kF32, units), e_.convert(kF32, n));
  }
  // With the layer, which is an axis of the launch like the others.
  ValueId coordinates(const std::array<ValueId, 3>& place, ValueId id) {
    std::array<ValueId, 3> parts{};
    for (uint32_t axis = 0; axis < dims_; ++axis) parts[axis] = place[axis];
    uint32_t n = dims_;
    if (layered_) parts[n++] = e_.at(id, 2);
    return n == 1 ? parts[0] : e_.construct(Type::vector(Scalar::U32, n), {parts.data(), n});
  }

  const uint32_t dims_;
  const bool layered_;
  const Type channel_, from_, to_;
  ir::Kernel kernel_;
  ir::Emitter e_;
};

// Calls give(arguments) for each level from 1 on.
template <class F>
void each_level(vd_image& image, uint32_t device, F&& give) {
  image.check_usable();
  const vd_image::Desc& desc = image.desc();
  constexpr uint64_t kMostTexels = uint64_t{1} << 31;
  const uint64_t texels = image.size(image.whole()) / image.format().size();
  if (!image.format().is_float() && texels > kMostTexels) {
    fail(VD_ERR_UNSUPPORTED, "{} has {} texels of integers, whose means are computed for at most {}", image.name(),
         texels, kMostTexels);
  }
  if (desc.levels < 2) fail(VD_ERR_INVALID, "{} has one level", image.name());
  const Ref<vd_plan> plan = make_own_plan(image.context(), device, MipWriter(image).run());
  constexpr uint32_t none[3] = {};
  for (uint32_t level = 1; level < desc.levels; ++level) {
    vd_image::Extent extent = image.extent(level);
    if (desc.layers != 0) extent[2] = desc.layers;
    const auto before = static_cast<int32_t>(level - 1);
    const runtime::Arguments arguments(*plan, extent.data(), none, &before, sizeof(before), 2, [&](uint32_t i) {
      runtime::Bound bound;
      bound.image = &image;
      bound.level = i == 1 ? level : 0;
      bound.own = true;
      return bound;
    });
    give(arguments);
  }
}

}  // namespace

vd_ticket generate_mips(vd_image& image, uint32_t queue, const runtime::Waits& waits) {
  vd_context& context = image.context();
  const runtime::Waits later{.queues = {}, .devices = {}, .stream = waits.stream, .label = waits.label};
  vd_ticket ticket = 0;
  each_level(image, context.queue(queue).device, [&](const runtime::Arguments& arguments) {
    ticket = *runtime::launch(arguments, queue, ticket == 0 ? waits : later, true);
  });
  return ticket;
}

uint32_t record_mips(vd_graph& graph, vd_image& image) {
  if (&graph.context() != &image.context())
    fail(VD_ERR_INVALID, "graph and {} belong to different contexts", image.name());
  return graph.record([&] {
    uint32_t node = graph.node_count();
    each_level(image, image.texels().device(),
               [&](const runtime::Arguments& arguments) { node = graph.dispatch(arguments); });
    return node;
  });
}

}  // namespace vd::primitives
