// Images in buffers with copies that units of the device sample: when a copy is made again, what other queues wait for,
// and calls of the driver that fail. What samples give is in tests/api/image_test.cpp.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "core/texel.h"
#include "ir/image_block.h"
#include "ir/passes/lower_images.h"
#include "unit/codegen/kernels.h"
#include "unit/opencl/fixture.h"

namespace vd::opencl {
namespace {

constexpr uint32_t kCount = 16;  // of 4 x 4 texels

// The calls of an entry point, and the number of those until one fails; 0: none does.
struct Calls {
  std::atomic<int> count{0}, fail_at{0};
  bool fails() {
    ++count;
    return fail_at != 0 && --fail_at == 0;
  }
};
Calls copies, images, samplers, formats;

cl_int CL_API_CALL copy(cl_command_queue queue, cl_mem from, cl_mem to, size_t offset, const size_t* origin,
                        const size_t* region, cl_uint count, const cl_event* waits, cl_event* event) {
  if (copies.fails()) return CL_OUT_OF_RESOURCES;
  return real->EnqueueCopyBufferToImage(queue, from, to, offset, origin, region, count, waits, event);
}
cl_mem CL_API_CALL create_image(cl_context context, cl_mem_flags flags, const cl_image_format* format,
                                const cl_image_desc* desc, void* pointer, cl_int* result) {
  if (!images.fails()) return real->CreateImage(context, flags, format, desc, pointer, result);
  *result = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  return nullptr;
}
cl_sampler CL_API_CALL create_sampler(cl_context context, cl_bool normalized, cl_addressing_mode mode,
                                      cl_filter_mode filter, cl_int* result) {
  if (!samplers.fails()) return real->CreateSampler(context, normalized, mode, filter, result);
  *result = CL_OUT_OF_HOST_MEMORY;
  return nullptr;
}
cl_int CL_API_CALL list_formats(cl_context context, cl_mem_flags flags, cl_mem_object_type type, cl_uint room,
                                cl_image_format* found, cl_uint* count) {
  if (formats.fails()) return CL_OUT_OF_HOST_MEMORY;
  return real->GetSupportedImageFormats(context, flags, type, room, found, count);
}

backends::ImageShape shape() {
  backends::ImageShape shape;
  shape.format = VD_FORMAT_R32_F32;
  shape.dimensions = 2;
  shape.extent = {4, 4, 1};
  shape.label = "photo";
  return shape;
}

// out[i] = the texels around (i % 4, i / 4).
ir::Kernel sampling_kernel() {
  test::Draft d;
  const ir::ValueId image = d.image(ir::Type::image(ir::Scalar::F32, 2, false), "image");
  const ir::ValueId out = d.buffer(ir::kF32, "out"), four = d.u(4);
  const auto coordinate = [&](vd_op op) { return d.e.convert(ir::kF32, d.e.emit(op, d.gid(), four)); };
  const ir::ValueId place =
      d.e.construct(ir::Type::vector(ir::Scalar::F32, 2), {coordinate(VD_OP_REM), coordinate(VD_OP_DIV)});
  d.set(out, d.gid(), d.e.at(d.e.emit(VD_OP_IMAGE_SAMPLE, image, place), 0));
  ir::Kernel kernel = d.take();
  ir::lower_images(kernel, ir::Units::Some);
  return kernel;
}

// x[i] = 7
ir::Kernel writing_kernel() {
  test::Draft d;
  const ir::ValueId x = d.buffer(ir::kF32, "x");
  d.set(x, d.gid(), d.e.constant(ir::kF32, 7));
  return d.take();
}

class OpenClImages : public testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    try {
      real = &Api::get();
      api_ = *real;
      api_.EnqueueCopyBufferToImage = copy;
      api_.CreateImage = create_image;
      api_.CreateSampler = create_sampler;
      api_.GetSupportedImageFormats = list_formats;
      Overrides wishes;
      wishes.api = &api_;
      wishes.images = true;
      device_ = open_fresh(wishes, "", reason, 2);
    } catch (const Error& error) {
      if (error.status() != VD_ERR_UNAVAILABLE) throw;
      reason = error.what();
    }
    if (!device_) GTEST_SKIP() << "no OpenCL device: " << reason;
    if (!device_->can_sample(shape())) GTEST_SKIP() << "the device has no such images";
    for (Calls* calls : {&copies, &images, &samplers, &formats}) calls->count = calls->fail_at = 0;
  }

  void make(bool host = false) {
    kernel_ = sampling_kernel();
    sampling_ = module(kernel_);
    const vd_sampler_desc how = VD_SAMPLER_DESC_INIT;
    sampler_ = device_->make_sampler(how);
    backends::ImageShape photo = shape();
    photo.host = host;
    texels_ = device_->make_texels(photo, kCount * 4);
    out_ = device_->make_memory(kCount * 4, false, "out");
    ir::SampledImageBlock block;
    block.size = {4, 4, 1, 1};
    block.texel = {1, 32, static_cast<uint32_t>(Channel::Float), ir::kNearestWithoutLevel | ir::kByUnit};
    values_.assign(kernel_.values.total_size / 4, 0);
    std::memcpy(values_.data() + kernel_.arguments[2].offset / 4, &block, sizeof(block));
    if (kernel_.values.exec_size_offset != ir::kNoOffset)
      for (uint32_t axis = 0; axis < 3; ++axis)
        values_[kernel_.values.exec_size_offset / 4 + axis] = axis == 0 ? 16 : 1;
  }
  std::shared_ptr<backends::Module> module(const ir::Kernel& kernel) {
    backends::ModuleDesc desc;
    desc.kernel = &kernel;
    desc.workgroup_size = {kCount, 1, 1};
    desc.label = "sampling";
    return device_->make_module(desc);
  }
  // After all before it.
  void add_sample(ListBuilder& work) {
    work.level(static_cast<uint32_t>(work.list.commands.size()));
    work.dispatch(*sampling_, 1, {whole(*texels_), whole(*out_)}, values_);
    work.list.commands.back().first_image = static_cast<uint32_t>(work.list.images.size());
    work.list.images.push_back({sampler_.get(), 0});
  }
  void run(const ListBuilder& work, uint32_t queue = 0) {
    ASSERT_TRUE(device_->queue(queue).wait(device_->queue(queue).submit(work.list), VD_WAIT_FOREVER));
  }
  void sample(uint32_t queue = 0) {
    ListBuilder work;
    add_sample(work);
    run(work, queue);
  }
  void expect_found(float value, int made, const char* what) {
    std::vector<float> found(kCount);
    device_->queue(0).read(whole(*out_), found.data());
    for (const float one : found) ASSERT_EQ(one, value) << what;
    EXPECT_EQ(copies.count, made) << what;
  }
  static uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

  Api api_;
  std::shared_ptr<Device> device_;
  ir::Kernel kernel_;
  std::shared_ptr<backends::Module> sampling_;
  std::shared_ptr<backends::Sampler> sampler_;
  std::unique_ptr<backends::Memory> texels_, out_;
  std::vector<uint32_t> values_;
};

TEST_F(OpenClImages, AreCopiedAgainOnceTheirBufferWasWritten) {
  make();
  const std::vector<float> ones(kCount, 1);
  test::write(device_->queue(0), whole(*texels_), ones.data());
  sample();
  expect_found(1, 1, "written by the host");
  sample();
  expect_found(1, 1, "nothing was written");
  {
    ListBuilder work;
    work.level(0).fill(whole(*texels_), bits(2));
    add_sample(work);
    add_sample(work);
    run(work);
    expect_found(2, 2, "filled");
  }
  const auto from = device_->make_memory(kCount * 4, false, "from");
  {
    ListBuilder work;
    work.level(0).fill(whole(*from), bits(3));
    work.level(1).copy(whole(*from), whole(*texels_));
    add_sample(work);
    run(work);
    expect_found(3, 3, "copied");
  }
  const ir::Kernel writing = writing_kernel();
  const auto writer = module(writing);
  std::vector<uint32_t> values(writing.values.total_size / 4, 1);
  if (writing.values.exec_size_offset != ir::kNoOffset) values[writing.values.exec_size_offset / 4] = kCount;
  {
    ListBuilder work;
    work.level(0).dispatch(*writer, 1, {whole(*texels_)}, values);
    add_sample(work);
    run(work);
    expect_found(7, 4, "written by a kernel");
  }
  {
    ListBuilder work;
    work.level(0).dispatch(*writer, 1, {whole(*from)}, values);
    add_sample(work);
    run(work);
    expect_found(7, 4, "other memory was written");
  }
}

// Texels are in the host's memory until a launch samples them, where the device has memory of its own.
TEST_F(OpenClImages, AreCopiedFromTheHostsMemory) {
  Overrides wishes;
  wishes.api = &api_;
  wishes.images = true;
  wishes.direct_transfers = false;
  std::string reason;
  device_ = open_fresh(wishes, "", reason, 2);
  ASSERT_NE(device_, nullptr) << reason;
  make(true);
  for (int turn = 1; turn < 4; ++turn) {
    auto* texels = static_cast<float*>(texels_->map(0, kCount * 4, true));
    std::fill_n(texels, kCount, static_cast<float>(turn));
    texels_->unmap(texels, 0, kCount * 4, true);
    sample();
    expect_found(static_cast<float>(turn), turn, "written in a mapping");
  }
}

TEST_F(OpenClImages, AreCopiedByEachRunOfAListThatWritesThem) {
  make();
  ListBuilder work;
  work.level(0).fill(whole(*texels_), bits(5));
  add_sample(work);
  const auto both = device_->make_executable(work.list);
  ListBuilder alone;
  add_sample(alone);
  add_sample(alone);
  const auto samples = device_->make_executable(alone.list);
  ASSERT_TRUE(device_->queue(0).wait(device_->queue(0).submit(*both, 2), VD_WAIT_FOREVER));
  expect_found(5, 2, "each run writes");
  ASSERT_TRUE(device_->queue(0).wait(device_->queue(0).submit(*samples, 3), VD_WAIT_FOREVER));
  expect_found(5, 2, "no run writes");
  const std::vector<float> sixes(kCount, 6);
  test::write(device_->queue(0), whole(*texels_), sixes.data());
  ASSERT_TRUE(device_->queue(0).wait(device_->queue(0).submit(*samples, 3), VD_WAIT_FOREVER));
  expect_found(6, 3, "written between two runs");
}

// A second queue does not wait for the first, but for the copy that it makes.
TEST_F(OpenClImages, AreCopiedOnceForAllQueues) {
  make();
  const std::vector<float> fours(kCount, 4);
  test::write(device_->queue(0), whole(*texels_), fours.data());
  sample(0);
  ListBuilder clear;
  clear.fill(whole(*out_), 0);
  run(clear);
  sample(1);
  expect_found(4, 1, "the copy was over");
  // Held up, the first queue has not begun with the copy when the second is given its launch.
  run(clear);
  ListBuilder fill, work;
  fill.fill(whole(*texels_), bits(8));
  add_sample(work);
  auto& first = device_->queue(0);
  auto& second = device_->queue(1);
  run(fill, 1);
  auto open = first.hold();
  const uint64_t early = first.submit(work.list), late = second.submit(work.list);
  EXPECT_FALSE(second.wait(late, 0));
  open();
  ASSERT_TRUE(first.wait(early, VD_WAIT_FOREVER));
  ASSERT_TRUE(second.wait(late, VD_WAIT_FOREVER));
  expect_found(8, 2, "the second queue waits for the copy");
}

// Whoever has the handle may write at any time.
TEST_F(OpenClImages, AreCopiedEachTimeOnceTheHandleIsKnown) {
  make();
  sample();
  sample();
  EXPECT_EQ(copies.count, 1);
  uint64_t handle = 0;
  ASSERT_TRUE(texels_->native("cl_mem", handle));
  const float nine = 9;
  const auto queue = static_cast<Queue&>(device_->queue(0)).handle();
  ASSERT_EQ(
      real->EnqueueFillBuffer(queue, reinterpret_cast<cl_mem>(handle), &nine, 4, 0, kCount * 4, 0, nullptr, nullptr),
      CL_SUCCESS);
  sample();
  expect_found(9, 2, "written by the program");
}

// A call that fails is named, nothing is lost, and the same works afterwards.
TEST_F(OpenClImages, EachCallMayFail) {
  const auto expect_named = [&](Calls& calls, int at, vd_status status, const char* text, const auto& body) {
    calls.fail_at = at;
    expect_error(body, status, text);
    EXPECT_EQ(calls.fail_at, 0);
  };
  expect_named(formats, 1, VD_ERR_OUT_OF_MEMORY, "clGetSupportedImageFormats", [&] { device_->can_sample(shape()); });
  expect_named(formats, 2, VD_ERR_OUT_OF_MEMORY, "clGetSupportedImageFormats", [&] { device_->can_sample(shape()); });
  const ir::Kernel kernel = sampling_kernel();
  expect_named(images, 1, VD_ERR_OUT_OF_MEMORY, "clCreateImage", [&] { module(kernel); });
  expect_named(samplers, 1, VD_ERR_OUT_OF_MEMORY, "clCreateSampler", [&] { module(kernel); });
  const vd_sampler_desc how = VD_SAMPLER_DESC_INIT;
  expect_named(samplers, 1, VD_ERR_OUT_OF_MEMORY, "clCreateSampler", [&] { device_->make_sampler(how); });
  make();
  const std::vector<float> twos(kCount, 2);
  test::write(device_->queue(0), whole(*texels_), twos.data());
  expect_named(images, 1, VD_ERR_OUT_OF_MEMORY, "4 x 4 x 1 texels of r32_f32", [&] { sample(); });
  copies.count = 0;
  expect_named(copies, 1, VD_ERR_OUT_OF_MEMORY, "clEnqueueCopyBufferToImage", [&] { sample(); });
  sample();
  expect_found(2, 2, "after the failures");
}

TEST_F(OpenClImages, ADispatchWithoutItsSamplerIsRefused) {
  make();
  ListBuilder work;
  add_sample(work);
  work.list.images[0].sampler = nullptr;
  expect_error([&] { device_->queue(0).submit(work.list); }, VD_ERR_INVALID, "image 0 of kernel \"sampling\" has no");
  work.list.images.clear();
  expect_error([&] { device_->queue(0).submit(work.list); }, VD_ERR_INVALID, "image 0 of kernel \"sampling\" has no");
}

// Kernels sample such images by themselves.
TEST_F(OpenClImages, AreNotMadeOfShapesThatTheDeviceLacks) {
  backends::ImageShape wide = shape();
  wide.extent[0] = static_cast<uint32_t>(device_->context().physical.image_extents[1][0]) + 1;
  EXPECT_FALSE(device_->can_sample(wide));
  backends::ImageShape deep = shape();
  deep.layers = static_cast<uint32_t>(device_->context().physical.image_layers) + 1;
  EXPECT_FALSE(device_->can_sample(deep));
  backends::ImageShape lines = shape();
  lines.dimensions = 1;
  lines.layers = 2;
  lines.extent = {4, 1, 1};
  EXPECT_FALSE(device_->can_sample(lines));
  Overrides wishes;
  wishes.images = false;
  std::string reason;
  const auto without = open_fresh(wishes, "", reason, 1);
  EXPECT_FALSE(without->has_sampling_units());
  EXPECT_FALSE(without->can_sample(shape()));
}

}  // namespace
}  // namespace vd::opencl
