#include "primitives/image_copy.h"

#include <algorithm>

#include "core/error.h"
#include "ir/emitter.h"
#include "primitives/own_kernel.h"
#include "runtime/launch.h"

namespace vd::primitives {
namespace {

using ir::Type;
using ir::ValueId;

// Values of the kernel below, in elements of a buffer.
struct BoxValues {
  uint32_t from[4];  // first element, from row to row, from slice to slice, 0
  uint32_t to[4];
};

// Each invocation moves an element of a row.
ir::Kernel box_kernel(Type element) {
  ir::Kernel kernel;
  kernel.name = "copy_texels";
  const Type four = Type::vector(ir::Scalar::U32, 4);
  kernel.arguments = {{VD_ARGUMENT_BUFFER, element, "source"},
                      {VD_ARGUMENT_BUFFER, element, "destination"},
                      {VD_ARGUMENT_VARIABLE, four, "from"},
                      {VD_ARGUMENT_VARIABLE, four, "to"}};
  ir::Emitter e(kernel);
  const auto argument = [&](uint32_t i) {
    const Type type = i < 2 ? kernel.types.array(element, 0).in(ir::Space::Storage) : four.in(ir::Space::Uniform);
    return e.leaf(ir::kOpArgument, type, i);
  };
  const ValueId id = e.builtin(VD_BUILTIN_GLOBAL_ID);
  const auto place = [&](uint32_t i) {
    const ValueId how = e.load(argument(i));
    const ValueId row = e.mul(e.at(id, 1), e.at(how, 1)), slice = e.mul(e.at(id, 2), e.at(how, 2));
    return e.add(e.add(e.add(e.at(how, 0), slice), row), e.at(id, 0));
  };
  e.store(e.index(argument(1), place(3)), e.load(e.index(argument(0), place(2))));
  return kernel;
}

uint64_t row_size(const ImageCopy& copy) { return uint64_t{copy.extent[0]} * copy.texel_size; }

// From the first byte to the one past the last.
uint64_t hull(const ImageCopy& copy, const TexelArray& array) {
  return (copy.extent[2] - 1) * array.slice + (copy.extent[1] - 1) * array.row + row_size(copy);
}

bool is_dense(const ImageCopy& copy, const TexelArray& array) {
  const bool rows = copy.extent[1] == 1 || array.row == row_size(copy);
  return rows && (copy.extent[2] == 1 || array.slice == row_size(copy) * copy.extent[1]);
}
bool is_dense(const ImageCopy& copy) { return is_dense(copy, copy.from) && is_dense(copy, copy.to); }

// Elements that divide a texel.
uint32_t element_size(const ImageCopy& copy) { return copy.texel_size % 4 == 0 ? 4 : copy.texel_size % 2 == 0 ? 2 : 1; }

// A launch of the kernel above.
class BoxLaunch {
 public:
  BoxLaunch(const ImageCopy& copy, uint32_t device) : unit_(element_size(copy)) {
    const Type element(unit_ == 4 ? ir::Scalar::U32 : unit_ == 2 ? ir::Scalar::U16 : ir::Scalar::U8);
    plan_ = make_own_plan(copy.from.buffer->context(), device, box_kernel(element));
    bind(copy, 0, copy.from, values_.from);
    bind(copy, 1, copy.to, values_.to);
    invocations_[0] = static_cast<uint32_t>(row_size(copy) / unit_);
    invocations_[1] = copy.extent[1];
    invocations_[2] = copy.extent[2];
  }

  template <class F>
  auto with_arguments(F&& f) const {
    constexpr uint32_t none[3] = {};
    const runtime::Arguments arguments(*plan_, invocations_, none, &values_, sizeof(values_), 2,
                                       [&](uint32_t i) { return bounds_[i]; });
    return f(arguments);
  }

 private:
  void bind(const ImageCopy& copy, uint32_t index, const TexelArray& array, uint32_t values[4]) {
    roots_[index] = array.buffer->root();
    const uint64_t first = array.buffer->offset() + array.first;
    const uint64_t align = binding_align(plan_->context(), plan_->device());
    const uint64_t begin = first / align * align, lead = first - begin;
    bounds_[index] = {.buffer = roots_[index].get(), .offset = begin, .size = lead + hull(copy, array), .lead = lead};
    const uint64_t numbers[3] = {lead / unit_, array.row / unit_, array.slice / unit_};
    for (int i = 0; i < 3; ++i) values[i] = static_cast<uint32_t>(numbers[i]);
    values[3] = 0;
  }

  const uint32_t unit_;
  Ref<vd_plan> plan_;
  BoxValues values_{};
  Ref<vd_buffer> roots_[2];  // a slice may begin between two places where bindings may
  runtime::Bound bounds_[2];
  uint32_t invocations_[3] = {};
};

void check_contexts(const char* what, const vd_context& context, const vd_image& image) {
  if (&context != &image.context()) fail(VD_ERR_INVALID, "{} and {} belong to different contexts", what, image.name());
}

bool overlap(const vd_image::Region& a, const vd_image::Region& b) {
  if (a.level != b.level) return false;
  for (int axis = 0; axis < 3; ++axis) {
    if (a.offset[axis] >= b.offset[axis] + b.extent[axis] || b.offset[axis] >= a.offset[axis] + a.extent[axis])
      return false;
  }
  return true;
}

}  // namespace

TexelArray texels_of(const vd_image& image, const vd_image::Region& region) {
  const uint64_t size = image.format().size();
  const auto [row, slice] = image.pitches(region.level);
  return {&image.texels(), image.number(region.level, region.offset) * size, row * size, slice * size,
          &image,          {region.level, region.offset, region.extent}};
}

TexelArray texels_of(vd_buffer& buffer, const char* offset_name, uint64_t offset, const vd_image& image,
                     const vd_image::Region& region) {
  buffer.check_usable();
  const uint32_t size = image.format().size(), align = std::max(size, 4u);
  if (buffer.span(offset, 0).begin % align != 0) {
    fail(VD_ERR_INVALID, "{} ({}){} is not a multiple of {}, as format {} of {} needs", offset_name, offset,
         buffer.place_name(), align, image.format().name, image.name());
  }
  buffer.check_range(offset_name, offset, image.size(region));
  const uint64_t row = uint64_t{region.extent[0]} * size;
  return {&buffer, offset, row, row * region.extent[1], nullptr, {}};
}

ImageCopy copy_into(vd_image& image, const vd_image::Region& region, vd_buffer& source, uint64_t offset) {
  check_contexts("source", source.context(), image);
  image.check_usable();
  return {texels_of(source, "source_offset", offset, image, region), texels_of(image, region), image.format().size(),
          region.extent};
}

ImageCopy copy_out_of(vd_image& image, const vd_image::Region& region, vd_buffer& destination, uint64_t offset) {
  check_contexts("destination", destination.context(), image);
  image.check_usable();
  destination.check_writable();
  return {texels_of(image, region), texels_of(destination, "destination_offset", offset, image, region),
          image.format().size(), region.extent};
}

ImageCopy copy_between(vd_image& source, const vd_image::Region& region, vd_image& destination,
                       const vd_image::Region& to) {
  check_contexts("destination", destination.context(), source);
  source.check_usable();
  destination.check_usable();
  if (source.format().format != destination.format().format) {
    fail(VD_ERR_INVALID, "{} is of format {}, and destination ({}) of {}", source.name(), source.format().name,
         destination.name(), destination.format().name);
  }
  if (region.extent != to.extent) {
    fail(VD_ERR_INVALID, "region is {} x {} x {} texels, and to is {} x {} x {}", region.extent[0], region.extent[1],
         region.extent[2], to.extent[0], to.extent[1], to.extent[2]);
  }
  if (&source == &destination && overlap(region, to))
    fail(VD_ERR_INVALID, "region and to overlap in level {} of {}", region.level, source.name());
  return {texels_of(source, region), texels_of(destination, to), source.format().size(), region.extent};
}

namespace {

// A copy from or to an image of the device's own is one of boxes.
bool is_of_boxes(const ImageCopy& copy) {
  const vd_image* image = copy.from.image != nullptr ? copy.from.image : copy.to.image;
  return !image->in_buffer();
}

runtime::BoxCopy boxes_of(const ImageCopy& copy) {
  using Kind = backends::Command::Kind;
  runtime::BoxCopy boxes;
  boxes.kind = copy.from.image == nullptr ? Kind::CopyToImage
               : copy.to.image == nullptr ? Kind::CopyFromImage
                                          : Kind::CopyImage;
  boxes.source = copy.from.buffer;
  boxes.destination = copy.to.buffer;
  boxes.read = copy.from.buffer->span(copy.from.first, hull(copy, copy.from));
  boxes.written = copy.to.buffer->span(copy.to.first, hull(copy, copy.to));
  for (const TexelArray* array : {&copy.from, &copy.to}) {
    if (array->image != nullptr) boxes.boxes.push_back(array->box);
  }
  return boxes;
}

}  // namespace

vd_ticket run(const ImageCopy& copy, uint32_t queue, const runtime::Waits& waits) {
  if (is_of_boxes(copy)) return runtime::copy_boxes(boxes_of(copy), queue, waits);
  if (is_dense(copy)) {
    return runtime::copy(*copy.from.buffer, copy.from.first, *copy.to.buffer, copy.to.first, hull(copy, copy.to), queue,
                         waits);
  }
  const uint32_t device = copy.to.buffer->context().queue(queue).device;
  return BoxLaunch(copy, device).with_arguments([&](const runtime::Arguments& arguments) {
    return *runtime::launch(arguments, queue, waits, true);
  });
}

uint32_t record(vd_graph& graph, const ImageCopy& copy) {
  check_contexts("graph", graph.context(), *(copy.from.image != nullptr ? copy.from.image : copy.to.image));
  if (is_of_boxes(copy)) return graph.copy_boxes(boxes_of(copy));
  if (is_dense(copy))
    return graph.copy(*copy.from.buffer, copy.from.first, *copy.to.buffer, copy.to.first, hull(copy, copy.to));
  return BoxLaunch(copy, copy.to.buffer->device()).with_arguments([&](const runtime::Arguments& arguments) {
    return graph.dispatch(arguments);
  });
}

namespace {

// Memory that texels pass through on their way from or to the host.
Ref<vd_buffer> passing_buffer(vd_image& image, const vd_image::Region& region, uint32_t queue, vd_buffer_flags flags) {
  vd_buffer::Desc desc;
  desc.flags = flags;
  desc.size = (image.size(region) + 3) / 4 * 4;
  desc.device = image.context().queue(queue).device;
  desc.label = image.desc().label;
  return vd_buffer::create(image.context(), std::move(desc));
}

}  // namespace

void write(vd_image& image, const vd_image::Region& region, const void* data, uint32_t queue) {
  vd_buffer& texels = image.texels();
  vd_context& context = image.context();
  image.check_usable();
  const TexelArray array = texels_of(image, region);
  if (image.in_buffer() && image.is_dense(region)) return texels.write(queue, array.first, data, image.size(region));
  image.check_usable();
  const auto write_one = [&](uint32_t q) {
    const Ref<vd_buffer> passing = passing_buffer(image, region, q, 0);
    passing->write(q, 0, data, image.size(region));
    run(copy_into(image, region, *passing, 0), q, {});
  };
  if (queue != VD_QUEUE_ALL) return write_one(queue);
  if (!texels.per_queue()) return write_one(context.first_queue(texels.device()));
  for (uint32_t q = 0; q < context.queue_count(); ++q) write_one(q);
}

void read(vd_image& image, const vd_image::Region& region, void* data, uint32_t queue) {
  image.check_usable();
  const TexelArray array = texels_of(image, region);
  if (image.in_buffer() && image.is_dense(region))
    return image.texels().read(queue, array.first, data, image.size(region));
  const Ref<vd_buffer> passing = passing_buffer(image, region, queue, VD_BUFFER_HOST);
  run(copy_out_of(image, region, *passing, 0), queue, {});
  passing->read(queue, 0, data, image.size(region));
}

}  // namespace vd::primitives
