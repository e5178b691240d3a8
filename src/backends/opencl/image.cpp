#include "backends/opencl/image.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "core/texel.h"

namespace vd::opencl {
namespace {

std::atomic<uint64_t> g_sampler_serial{0};

cl_mem_object_type type_of(uint32_t dimensions, bool layered) {
  switch (dimensions) {
    case 1:
      return CL_MEM_OBJECT_IMAGE1D;
    case 2:
      return layered ? CL_MEM_OBJECT_IMAGE2D_ARRAY : CL_MEM_OBJECT_IMAGE2D;
    default:
      return CL_MEM_OBJECT_IMAGE3D;
  }
}

cl_image_format format_of(const TexelFormat& format) {
  const cl_channel_order orders[] = {CL_R, CL_RG, CL_RGBA, CL_RGBA};
  const auto sized = [&](cl_channel_type byte, cl_channel_type half, cl_channel_type word) {
    return format.bits == 8 ? byte : format.bits == 16 ? half : word;
  };
  cl_channel_type type = CL_UNORM_INT8;
  if (format.channel == Channel::Float) type = sized(0, CL_HALF_FLOAT, CL_FLOAT);
  if (format.channel == Channel::Signed) type = sized(CL_SIGNED_INT8, CL_SIGNED_INT16, CL_SIGNED_INT32);
  if (format.channel == Channel::Unsigned) type = sized(CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32);
  return {orders[format.channels - 1], type};
}

const TexelFormat& texel_of(const backends::ImageShape& shape) {
  return get_texel_format(shape.format, "shape.format");
}

cl_image_desc desc_of(const backends::ImageShape& shape) {
  cl_image_desc desc{};
  desc.image_type = type_of(shape.dimensions, shape.layers != 0);
  desc.image_width = shape.extent[0];
  desc.image_height = shape.extent[1];
  desc.image_depth = shape.extent[2];
  desc.image_array_size = std::max(shape.layers, 1u);
  return desc;
}

MemHandle make_image(const std::shared_ptr<const Context>& context, const cl_image_format& format,
                     const cl_image_desc& desc, const std::string& text) {
  cl_int result = CL_SUCCESS;
  const cl_mem made = context->cl.CreateImage(context->handle(), CL_MEM_READ_ONLY, &format, &desc, nullptr, &result);
  context->check(result, "clCreateImage", "{} on \"{}\"", text, context->info().name);
  return {context, made};
}

}  // namespace

bool has_image(const Context& context, const backends::ImageShape& shape) {
  if (!context.images) return false;
  // NVIDIA's driver 580 copies no buffer to an array of lines, so that no device's units sample one: the region that OpenCL
  // 3.0 asks for ("Copying Between Buffer and Image Objects") is CL_INVALID_VALUE there.
  if (shape.dimensions == 1 && shape.layers != 0) return false;
  const uint64_t* most = context.physical.image_extents[shape.dimensions - 1];
  for (uint32_t axis = 0; axis < 3; ++axis)
    if (shape.extent[axis] > most[axis]) return false;
  if (shape.layers > context.physical.image_layers) return false;
  const cl_mem_object_type type = type_of(shape.dimensions, shape.layers != 0);
  cl_uint count = 0;
  const auto list = [&](cl_uint room, cl_image_format* formats) {
    context.check(context.cl.GetSupportedImageFormats(context.handle(), CL_MEM_READ_ONLY, type, room, formats, &count),
                  "clGetSupportedImageFormats", "images of {} dimensions", shape.dimensions);
  };
  list(0, nullptr);
  std::vector<cl_image_format> formats(count);
  if (count != 0) list(count, formats.data());
  const cl_image_format wanted = format_of(texel_of(shape));
  return std::ranges::any_of(formats, [&](const cl_image_format& has) {
    return has.image_channel_order == wanted.image_channel_order &&
           has.image_channel_data_type == wanted.image_channel_data_type;
  });
}

MemHandle make_stand_in(const std::shared_ptr<const Context>& context, uint32_t dimensions, bool layered) {
  backends::ImageShape shape;
  shape.dimensions = dimensions;
  shape.layers = layered ? 1 : 0;
  shape.extent = {1, 1, 1};
  return make_image(context, {CL_RGBA, CL_UNORM_INT8}, desc_of(shape), "an image that stands for none");
}

Sampler::Sampler(const std::shared_ptr<const Context>& context, const vd_sampler_desc& desc, cl_filter_mode filter)
    : serial_(g_sampler_serial.fetch_add(1, std::memory_order_relaxed) + 1) {
  const bool repeats = desc.address_mode == VD_ADDRESS_REPEAT || desc.address_mode == VD_ADDRESS_MIRRORED_REPEAT;
  const bool normalized = repeats && filter == CL_FILTER_LINEAR;
  cl_addressing_mode mode = CL_ADDRESS_CLAMP_TO_EDGE;
  if (desc.address_mode == VD_ADDRESS_CLAMP_TO_BORDER) mode = CL_ADDRESS_CLAMP;
  if (normalized) mode = desc.address_mode == VD_ADDRESS_REPEAT ? CL_ADDRESS_REPEAT : CL_ADDRESS_MIRRORED_REPEAT;
  cl_int result = CL_SUCCESS;
  const cl_sampler made =
      context->cl.CreateSampler(context->handle(), normalized ? CL_TRUE : CL_FALSE, mode, filter, &result);
  context->check(result, "clCreateSampler", "address mode {:#x}, filter {:#x}", mode, filter);
  handle_ = SamplerHandle(context, made);
}

SampledCopy::SampledCopy(std::shared_ptr<const Context> context, backends::ImageShape shape)
    : context_(std::move(context)), shape_(std::move(shape)) {}

cl_mem SampledCopy::image() {
  const std::lock_guard lock(mutex_);
  if (!image_) {
    const cl_image_desc desc = desc_of(shape_);
    image_ = make_image(context_, format_of(texel_of(shape_)), desc,
                        fmt::format("the copy that units sample of {} x {} x {} texels of {}, {} layers{}",
                                    desc.image_width, desc.image_height, desc.image_depth, texel_of(shape_).name,
                                    shape_.layers, shape_.label.empty() ? "" : fmt::format(", \"{}\"", shape_.label)));
  }
  return image_.get();
}

void SampledCopy::make_stale() noexcept {
  const std::lock_guard lock(mutex_);
  stale_ = true;
}

void SampledCopy::expect_writes() noexcept {
  const std::lock_guard lock(mutex_);
  watched_ = false;
}

// Launches that sample the copy on several queues are not ordered: the first of them makes it.
void SampledCopy::wait_for_copy(cl_command_queue queue) {
  if (!copied_ || copied_on_ == queue) return;
  const cl_event event = copied_.get();
  cl_int status = CL_QUEUED;
  context_->check(context_->cl.GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr),
                  "clGetEventInfo", "a copy that units sample");
  if (status == CL_COMPLETE) {
    copied_ = EventHandle();
    return;
  }
  context_->check(context_->cl.Flush(copied_on_), "clFlush", "a copy that units sample");
  context_->check(context_->cl.EnqueueBarrierWithWaitList(queue, 1, &event, nullptr), "clEnqueueBarrierWithWaitList",
                  "a copy that units sample");
}

void SampledCopy::bring_up_to_date(cl_command_queue queue, cl_mem buffer) {
  const std::lock_guard lock(mutex_);
  if (!stale_ && watched_) return wait_for_copy(queue);
  stale_ = true;  // in case that a call fails
  const cl_image_desc desc = desc_of(shape_);
  size_t region[3] = {desc.image_width, desc.image_height, desc.image_depth};
  if (shape_.layers != 0) region[2] = shape_.layers;
  const size_t origin[3] = {};
  cl_event event = nullptr;
  context_->check(
      context_->cl.EnqueueCopyBufferToImage(queue, buffer, image_.get(), 0, origin, region, 0, nullptr, &event),
      "clEnqueueCopyBufferToImage", "{} x {} x {} texels that units sample", region[0], region[1], region[2]);
  copied_ = EventHandle(context_, event);
  copied_on_ = queue;
  stale_ = false;
}

}  // namespace vd::opencl
