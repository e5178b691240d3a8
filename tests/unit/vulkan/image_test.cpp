// Images of the device's own: copies, kernels, descriptors pushed and pooled, samplers, and calls of the driver that fail.
#include <array>
#include <bit>
#include <cstring>

#include "backends/vulkan/image.h"
#include "core/texel.h"
#include "ir/image_block.h"
#include "ir/passes/lower_images.h"
#include "unit/codegen/kernels.h"
#include "unit/vulkan/fixture.h"

namespace vd::vulkan {
namespace {

using backends::Box;
using backends::Command;
using backends::ImageShape;
using backends::Range;

ImageShape shape_of(uint32_t dimensions, std::array<uint32_t, 3> extent, uint32_t layers = 0, uint32_t levels = 1) {
  ImageShape shape;
  shape.format = VD_FORMAT_R32_U32;
  shape.dimensions = dimensions;
  shape.layers = layers;
  shape.extent = extent;
  shape.levels = levels;
  shape.storage = true;
  return shape;
}

Box whole_box(const ImageShape& shape, uint32_t level = 0) {
  Box box;
  box.level = level;
  for (int axis = 0; axis < 3; ++axis) box.extent[axis] = std::max(shape.extent[axis] >> level, 1u);
  if (shape.layers != 0) box.extent[2] = shape.layers;
  return box;
}

// A command with its boxes, after all before it.
void add(ListBuilder& work, Command::Kind kind, const Range& source, const Range& destination,
         const std::vector<Box>& boxes) {
  Command command;
  command.kind = kind;
  command.level = static_cast<uint32_t>(work.list.commands.size());
  command.source = source;
  command.destination = destination;
  command.first_box = static_cast<uint32_t>(work.list.boxes.size());
  work.list.boxes.insert(work.list.boxes.end(), boxes.begin(), boxes.end());
  work.list.commands.push_back(command);
}

std::vector<uint32_t> counted(uint64_t count) {
  std::vector<uint32_t> words(count);
  for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<uint32_t>(i * 2654435761u);
  return words;
}

class VulkanImages : public VulkanTest, public testing::WithParamInterface<bool> {
 protected:
  Overrides overrides() const override {
    Overrides overrides;
    overrides.push_descriptors = GetParam();
    return overrides;
  }
  void SetUp() override {
    VulkanTest::SetUp();
    if (device_ && !device_->has_images()) GTEST_SKIP() << "images lie in buffers";
  }
  void run(const ListBuilder& work) { ASSERT_TRUE(queue().wait(queue().submit(work.list), VD_WAIT_FOREVER)); }
};

TEST_P(VulkanImages, TexelsTravelThroughEveryShape) {
  const ImageShape shapes[] = {shape_of(1, {24, 1, 1}), shape_of(1, {6, 1, 1}, 4), shape_of(2, {6, 4, 1}),
                               shape_of(2, {2, 3, 1}, 4), shape_of(3, {4, 3, 2})};
  const std::vector<uint32_t> wanted = counted(24);
  for (const ImageShape& shape : shapes) {
    const auto from = words(wanted), to = words(std::vector<uint32_t>(24));
    const auto image = device().make_image(shape), second = device().make_image(shape);
    EXPECT_EQ(image->size(), 96u);
    const Box box = whole_box(shape);
    ListBuilder work;
    add(work, Command::Kind::CopyToImage, whole(*from), whole(*image), {box});
    add(work, Command::Kind::CopyImage, whole(*image), whole(*second), {box, box});
    add(work, Command::Kind::CopyFromImage, whole(*second), whole(*to), {box});
    run(work);
    EXPECT_EQ(read_words(*to), wanted) << shape.dimensions << " dimensions, " << shape.layers << " layers";
  }
}

// Also between images of different numbers of dimensions.
TEST_P(VulkanImages, BoxesAreCopiedBetweenShapes) {
  const ImageShape shapes[] = {shape_of(1, {8, 1, 1}), shape_of(2, {8, 8, 1}, 0, 2), shape_of(2, {8, 8, 1}, 8),
                               shape_of(3, {8, 8, 8})};
  const std::vector<uint32_t> wanted = counted(4);
  for (const ImageShape& a : shapes) {
    for (const ImageShape& b : shapes) {
      const auto from = words(wanted), to = words(std::vector<uint32_t>(4));
      const auto source = device().make_image(a), destination = device().make_image(b);
      Box row;
      row.extent = {4, 1, 1};
      Box here = row, there = row;
      for (int axis = 0; axis < 3; ++axis) {
        here.offset[axis] = whole_box(a).extent[axis] > 1 ? 2 : 0;
        there.offset[axis] = whole_box(b).extent[axis] > 1 ? 3 : 0;
      }
      ListBuilder work;
      add(work, Command::Kind::CopyToImage, whole(*from), whole(*source), {here});
      add(work, Command::Kind::CopyImage, whole(*source), whole(*destination), {here, there});
      add(work, Command::Kind::CopyFromImage, whole(*destination), whole(*to), {there});
      run(work);
      EXPECT_EQ(read_words(*to), wanted) << a.dimensions << " to " << b.dimensions;
    }
  }
}

// out[i] = from[i] of a sampled image + to[i] of a stored one, which takes from[i] and the number of its levels.
ir::Kernel mixing_kernel() {
  test::Draft d;
  const ir::Type sampled = ir::Type::image(ir::Scalar::U32, 1, false);
  const ir::Type stored =
      ir::Type::image(ir::Scalar::U32, 1, false, VD_ARGUMENT_ACCESS_READ | VD_ARGUMENT_ACCESS_WRITE, VD_FORMAT_R32_U32);
  const ir::ValueId from = d.image(sampled, "from"), out = d.buffer(ir::kU32, "out"), to = d.image(stored, "to");
  const ir::ValueId texel = d.e.emit(VD_OP_IMAGE_LOAD, from, d.gid());
  const ir::ValueId size = d.e.emit(VD_OP_IMAGE_SIZE, to);
  const ir::ValueId before = d.e.emit(VD_OP_IMAGE_LOAD, to, d.gid());
  d.set(out, d.gid(), d.e.add(d.e.at(texel, 0), d.e.at(before, 0)));
  const ir::ValueId levels = d.e.convert(ir::kU32, d.e.at(size, 3));
  d.e.emit(VD_OP_IMAGE_STORE, ir::Type(),
           {to, d.gid(), d.e.construct(sampled.texel(), {d.e.at(texel, 0), levels, levels, levels})});
  return d.take();
}

struct Mixing {
  explicit Mixing(Device& device, const vd_sampler_desc& how) {
    const ir::Kernel kernel = mixing_kernel();
    backends::ModuleDesc desc;
    desc.kernel = &kernel;
    desc.workgroup_size = {64, 1, 1};
    desc.label = "mixing";
    module = device.make_module(desc);
    from = device.make_image(shape_of(1, {64, 1, 1}));
    to = device.make_image(shape_of(1, {64, 1, 1}, 0, 2));
    sampler = device.make_sampler(how);
  }
  void launch(ListBuilder& work, backends::Memory& out) const {
    const auto level = static_cast<uint32_t>(work.list.commands.size());
    const auto first = static_cast<uint32_t>(work.list.images.size());
    work.level(level).dispatch(*module, 1, {whole(*from), whole(out), whole(*to)}, {64, 1, 1, 2});
    work.list.commands.back().first_image = first;
    work.list.images.push_back({sampler.get(), 0});
    work.list.images.push_back({nullptr, 0});
  }

  std::shared_ptr<backends::Module> module;
  std::unique_ptr<backends::Image> from, to;
  std::shared_ptr<backends::Sampler> sampler;
};

std::vector<uint32_t> doubled(std::vector<uint32_t> words) {
  for (uint32_t& word : words) word *= 2;
  return words;
}

TEST_P(VulkanImages, KernelsReadAndWriteThem) {
  const Mixing mixing(device(), VD_SAMPLER_DESC_INIT);
  const auto texels = words(counted(64)), first = words(std::vector<uint32_t>(64)),
             second = words(std::vector<uint32_t>(64)), zeros = words(std::vector<uint32_t>(64));
  ListBuilder work;
  add(work, Command::Kind::CopyToImage, whole(*texels), whole(*mixing.from), {whole_box(shape_of(1, {64, 1, 1}))});
  add(work, Command::Kind::CopyToImage, whole(*zeros), whole(*mixing.to), {whole_box(shape_of(1, {64, 1, 1}))});
  mixing.launch(work, *first);
  mixing.launch(work, *second);
  run(work);
  EXPECT_EQ(read_words(*first), counted(64));
  EXPECT_EQ(read_words(*second), doubled(counted(64)));
}

// Its first use, and many of them in flight.
TEST_P(VulkanImages, GraphsKeepTheirDescriptors) {
  const Mixing mixing(device(), VD_SAMPLER_DESC_INIT);
  const auto texels = words(counted(64)), out = words(std::vector<uint32_t>(64));
  ListBuilder work;
  add(work, Command::Kind::CopyToImage, whole(*texels), whole(*mixing.from), {whole_box(shape_of(1, {64, 1, 1}))});
  add(work, Command::Kind::CopyToImage, whole(*texels), whole(*mixing.to), {whole_box(shape_of(1, {64, 1, 1}))});
  mixing.launch(work, *out);
  const auto graph = device().make_executable(work.list);
  uint64_t last = 0;
  for (int i = 0; i < 8; ++i) last = queue().submit(*graph, 3);
  ASSERT_TRUE(queue().wait(last, VD_WAIT_FOREVER));
  EXPECT_EQ(read_words(*out), doubled(counted(64)));
}

// Many launches in one list take more sets than a pool has.
TEST_P(VulkanImages, ManyLaunchesHaveManyDescriptors) {
  const Mixing mixing(device(), VD_SAMPLER_DESC_INIT);
  const auto texels = words(counted(64));
  std::vector<std::unique_ptr<backends::Memory>> outs;
  ListBuilder work;
  add(work, Command::Kind::CopyToImage, whole(*texels), whole(*mixing.from), {whole_box(shape_of(1, {64, 1, 1}))});
  for (int i = 0; i < 150; ++i) mixing.launch(work, *outs.emplace_back(words(std::vector<uint32_t>(64))));
  run(work);
  EXPECT_EQ(read_words(*outs.back()), doubled(counted(64)));
}

TEST_P(VulkanImages, UnusedOnesAreReleased) {
  for (int i = 0; i < 3; ++i) (void)device().make_image(shape_of(2, {16, 16, 1}, 2, 3));
}

TEST_P(VulkanImages, SamplersAreSharedAndFreedWithTheirLastUser) {
  vd_sampler_desc desc = VD_SAMPLER_DESC_INIT;
  auto first = device().make_sampler(desc);
  EXPECT_EQ(device().make_sampler(desc), first);
  desc.address_mode = VD_ADDRESS_CLAMP_TO_BORDER;
  desc.border_color = VD_BORDER_INT_OPAQUE_WHITE;
  const auto other = device().make_sampler(desc);
  EXPECT_NE(other, first);
  auto& second = static_cast<Sampler&>(*other);
  const auto integers = device().make_image(shape_of(1, {4, 1, 1}));
  ImageShape shape = shape_of(1, {4, 1, 1});
  shape.format = VD_FORMAT_R32_F32;
  const auto floats = device().make_image(shape);
  EXPECT_NE(second.of(static_cast<Image&>(*integers)), second.of(static_cast<Image&>(*floats)));
  desc.min_lod = 3;
  desc.max_lod = 2;
  EXPECT_NO_THROW(device().make_sampler(desc));
  const float most = device().gpu().physical.properties.limits.maxSamplerLodBias;
  desc.mip_lod_bias = most + 1;
  expect_error([&] { device().make_sampler(desc); }, VD_ERR_UNSUPPORTED,
               fmt::format("is not between {} and {}", -most, most));
  const std::weak_ptr<backends::Sampler> gone = first;
  first.reset();
  EXPECT_TRUE(gone.expired());
  // More than any device has at a time.
  desc = VD_SAMPLER_DESC_INIT;
  uint32_t most_samplers = device().gpu().physical.properties.limits.maxSamplerAllocationCount;
  for (uint32_t i = 0; i <= std::min(most_samplers, 70000u); ++i) {
    desc.max_lod = 1 + static_cast<float>(i) / 65536;
    ASSERT_NO_THROW(device().make_sampler(desc));
  }
}

TEST_P(VulkanImages, LimitsAreNamed) {
  const uint32_t most = device().info().max_image_extent[0];
  expect_error(
      [&] {
        device().make_image(shape_of(1, {most + 1, 1, 1}));
      },
      VD_ERR_UNSUPPORTED, fmt::format("an image of {} x 1 x 1 texels of format r32_u32 is larger than", most + 1));
  const uint32_t layers = device().info().max_image_layers;
  expect_error(
      [&] {
        device().make_image(shape_of(1, {4, 1, 1}, layers + 1));
      },
      VD_ERR_UNSUPPORTED, fmt::format("an image of {} layers and 1 levels", layers + 1));
}

TEST_P(VulkanImages, MoreThanADeviceBindsAreRefused) {
  const auto& limits = device().gpu().physical.properties.limits;
  const uint32_t samplers = std::min(limits.maxPerStageDescriptorSamplers, limits.maxDescriptorSetSamplers);
  const uint32_t images = std::min(limits.maxPerStageDescriptorSampledImages, limits.maxDescriptorSetSampledImages);
  const uint32_t sampled = std::min(samplers, images);
  const uint32_t stored = std::min(limits.maxPerStageDescriptorStorageImages, limits.maxDescriptorSetStorageImages);
  const struct {
    uint32_t most;
    vd_argument_access access;
    vd_format format;
    const char* name;
  } kinds[] = {{sampled, 0, VD_FORMAT_NONE, samplers < images ? "samplers" : "images that it samples"},
               {stored, VD_ARGUMENT_ACCESS_READ, VD_FORMAT_R32_U32, "images that it loads and stores"}};
  for (const auto& [most, access, format, name] : kinds) {
    if (most > 1000) continue;
    test::Draft d;
    const ir::ValueId out = d.buffer(ir::Type::vector(ir::Scalar::U32, 4), "out");
    for (uint32_t i = 0; i <= most; ++i) {
      const ir::ValueId image = d.image(ir::Type::image(ir::Scalar::U32, 1, false, access, format), "image");
      d.set(out, d.u(i), d.e.emit(VD_OP_IMAGE_LOAD, image, d.gid()));
    }
    const ir::Kernel kernel = d.take();
    backends::ModuleDesc desc;
    desc.kernel = &kernel;
    desc.workgroup_size = {64, 1, 1};
    desc.label = "crowd";
    expect_error([&] { device().make_module(desc); }, VD_ERR_UNSUPPORTED,
                 fmt::format("kernel \"crowd\" has {} {}; Vulkan device", most + 1, name));
  }
}

TEST_P(VulkanImages, LaunchesWithoutTheirUseAreRefused) {
  const Mixing mixing(device(), VD_SAMPLER_DESC_INIT);
  const auto out = words(std::vector<uint32_t>(64));
  ListBuilder work;
  mixing.launch(work, *out);
  work.list.images[1].level = 2;
  expect_error([&] { queue().submit(work.list); }, VD_ERR_INVALID, "level (2) of image 2 of kernel \"mixing\"");
  work.list.images[0].sampler = nullptr;
  expect_error([&] { queue().submit(work.list); }, VD_ERR_INVALID, "image 0 of kernel \"mixing\" has no sampler");
  work.list.images.clear();
  expect_error([&] { queue().submit(work.list); }, VD_ERR_INVALID, "image 0 of kernel \"mixing\" is given without");
}

// ---- Both forms of images on one device

constexpr uint32_t kPlaces = 200;

// out[i] = the image's texels around at[i].
ir::Kernel sampling_kernel() {
  test::Draft d;
  const ir::Type place = ir::Type::vector(ir::Scalar::F32, 2);
  const ir::ValueId image = d.image(ir::Type::image(ir::Scalar::F32, 2, false), "image");
  const ir::ValueId at = d.buffer(place, "at"), out = d.buffer(ir::Type::vector(ir::Scalar::F32, 4), "out");
  d.set(out, d.gid(), d.e.emit(VD_OP_IMAGE_SAMPLE, image, d.get(at, d.gid())));
  return d.take();
}

class VulkanImageForms : public VulkanTest {
 protected:
  void SetUp() override {
    VulkanTest::SetUp();
    if (!device_) return;
    if (!device_->has_images()) GTEST_SKIP() << "images lie in buffers";
    const std::vector<uint32_t> random = counted(kPlaces * 2 + 7 * 5);
    for (size_t i = 0; i < random.size(); ++i) {
      const float part = static_cast<float>(random[i] >> 8) * 0x1p-24f;
      (i < kPlaces * 2 ? at_ : texels_).push_back(std::bit_cast<uint32_t>(i < kPlaces * 2 ? part * 24 - 9 : part));
    }
  }
  // Runs it with `image` first, and values that the launch gives.
  std::vector<float> sample(const ir::Kernel& kernel, backends::Memory& image, std::vector<std::byte> values,
                            const std::vector<backends::ImageUse>& uses) {
    backends::ModuleDesc desc;
    desc.kernel = &kernel;
    desc.workgroup_size = {kPlaces, 1, 1};
    desc.label = "sampling";
    const auto module = device_->make_module(desc);
    const auto at = words(at_), out = words(std::vector<uint32_t>(kPlaces * 4));
    std::vector<uint32_t> value_words(values.size() / 4);
    if (!values.empty()) std::memcpy(value_words.data(), values.data(), values.size());
    ListBuilder work;
    work.dispatch(*module, 1, {whole(image), whole(*at), whole(*out)}, value_words);
    work.list.images = uses;
    EXPECT_TRUE(queue().wait(queue().submit(work.list), VD_WAIT_FOREVER));
    std::vector<float> found;
    for (const uint32_t word : read_words(*out)) found.push_back(std::bit_cast<float>(word));
    return found;
  }

  std::vector<uint32_t> at_, texels_;
};

// A device samples its own images as another does that has them in buffers.
TEST_F(VulkanImageForms, SampleAlike) {
  ImageShape shape = shape_of(2, {7, 5, 1});
  shape.format = VD_FORMAT_R32_F32;
  const auto texels = words(texels_);
  const auto image = device().make_image(shape);
  ListBuilder work;
  add(work, Command::Kind::CopyToImage, whole(*texels), whole(*image), {whole_box(shape)});
  ASSERT_TRUE(queue().wait(queue().submit(work.list), VD_WAIT_FOREVER));
  for (int mode = VD_ADDRESS_REPEAT; mode <= VD_ADDRESS_MIRROR_CLAMP_TO_EDGE; ++mode) {
    vd_sampler_desc how = VD_SAMPLER_DESC_INIT;
    how.mag_filter = how.min_filter = VD_FILTER_LINEAR;
    how.address_mode = static_cast<vd_address_mode>(mode);
    how.border_color = VD_BORDER_FLOAT_OPAQUE_WHITE;
    ir::Kernel kernel = sampling_kernel();
    const std::vector<float> own = sample(kernel, *image, {}, {{device().make_sampler(how).get(), 0}});
    ir::lower_images(kernel);
    ir::SampledImageBlock block;
    block.size = {7, 5, 1, 1};
    block.texel = {1, 32, static_cast<uint32_t>(Channel::Float), 0};
    block.sampler = {VD_FILTER_LINEAR, VD_FILTER_LINEAR, VD_FILTER_NEAREST, static_cast<uint32_t>(mode)};
    block.level = {0, 0, ir::kMaxImageLevels, 0};
    const uint32_t one = std::bit_cast<uint32_t>(1.0f);
    block.border = {one, 0, 0, one};
    std::vector<std::byte> values(kernel.values.total_size);
    std::memcpy(values.data() + kernel.arguments.back().offset, &block, sizeof(block));
    const std::vector<float> in_buffer = sample(kernel, *texels, std::move(values), {});
    for (size_t i = 0; i < own.size(); ++i)
      ASSERT_NEAR(own[i], in_buffer[i], 3.0 / 256) << "place " << i / 4 << " channel " << i % 4 << " mode " << mode;
  }
}

// Two queues write levels of a new image at once, and neither waits for the other.
TEST(VulkanImageQueues, BothWaitForTheFirstUse) {
  std::string reason;
  const auto device = open_fresh({}, "", reason, 2);
  if (!device) GTEST_SKIP() << "no Vulkan device: " << reason;
  if (!device->has_images() || device->queue_count() < 2) GTEST_SKIP() << "it has one queue, or no images of its own";
  const auto before = validation_counts();
  const ImageShape shape = shape_of(2, {64, 64, 1}, 0, 2);
  const std::vector<uint32_t> texels = counted(64 * 64);
  struct Turn {
    std::unique_ptr<backends::Memory> from, to;
    uint64_t value = 0;
  };
  for (int number = 0; number < 20; ++number) {
    const auto image = device->make_image(shape);
    std::array<Turn, 2> turns;
    for (Turn& turn : turns) {
      turn.from = device->make_memory(texels.size() * 4, false, "from");
      turn.to = device->make_memory(texels.size() * 4, false, "to");
      test::write(device->queue(0), whole(*turn.from), texels.data());
    }
    ListBuilder nothing;
    ASSERT_TRUE(device->queue(0).wait(device->queue(0).submit(nothing.list), VD_WAIT_FOREVER));
    for (uint32_t level = 0; level < 2; ++level) {
      ListBuilder work;
      add(work, Command::Kind::CopyToImage, whole(*turns[level].from), whole(*image), {whole_box(shape, level)});
      add(work, Command::Kind::CopyFromImage, whole(*image), whole(*turns[level].to), {whole_box(shape, level)});
      turns[level].value = device->queue(level).submit(work.list);
    }
    for (uint32_t level = 0; level < 2; ++level) {
      ASSERT_TRUE(device->queue(level).wait(turns[level].value, VD_WAIT_FOREVER));
      std::vector<uint32_t> found(texels.size() >> 2 * level);
      device->queue(level).read({turns[level].to.get(), 0, found.size() * 4}, found.data());
      EXPECT_TRUE(std::equal(found.begin(), found.end(), texels.begin())) << "level " << level;
    }
  }
  auto after = validation_counts();
  if (!layer_follows_timelines(*device)) after.errors -= after.races - before.races;
  EXPECT_EQ(after.errors, before.errors) << last_validation_message();
}

INSTANTIATE_TEST_SUITE_P(Descriptors, VulkanImages, testing::Bool(),
                         [](const auto& info) { return info.param ? "pushed" : "pooled"; });

// ---- Controls and failures

class VulkanImageControl : public VulkanTest {
 protected:
  void SetUp() override {
    VulkanTest::SetUp();
    if (!device_) return;
    if (!device_->has_images()) GTEST_SKIP() << "images lie in buffers";
    if (!device_->gpu().physical.instance.validates()) GTEST_SKIP() << "the validation layer is not installed";
  }
  void TearDown() override {}  // these tests provoke messages
};

// The silence about images in other tests means something only where the layer sees hazards of images.
TEST_F(VulkanImageControl, CountsAMissingBarrier) {
  const auto before = validation_counts();
  const ImageShape shape = shape_of(2, {8, 8, 1});
  const auto image = device().make_image(shape);
  const auto texels = words(counted(64));
  ListBuilder work;
  for (int i = 0; i < 2; ++i) add(work, Command::Kind::CopyToImage, whole(*texels), whole(*image), {whole_box(shape)});
  for (Command& command : work.list.commands) command.level = 0;  // as if they did not conflict
  ASSERT_TRUE(queue().wait(queue().submit(work.list), VD_WAIT_FOREVER));
  EXPECT_GT(validation_counts().errors, before.errors);
  EXPECT_NE(last_validation_message().find("SYNC-HAZARD-WRITE-AFTER-WRITE"), std::string::npos)
      << last_validation_message();
}

// An image that is used before the change of its layout.
TEST_F(VulkanImageControl, CountsAWrongLayout) {
  const auto before = validation_counts();
  const ImageShape shape = shape_of(2, {8, 8, 1});
  const auto image = device().make_image(shape);
  static_cast<Image&>(*image).ready = true;
  const auto texels = words(counted(64));
  ListBuilder work;
  add(work, Command::Kind::CopyToImage, whole(*texels), whole(*image), {whole_box(shape)});
  ASSERT_TRUE(queue().wait(queue().submit(work.list), VD_WAIT_FOREVER));
  EXPECT_GT(validation_counts().errors, before.errors);
  EXPECT_NE(last_validation_message().find("VK_IMAGE_LAYOUT_UNDEFINED"), std::string::npos)
      << last_validation_message();
}

int calls_that_succeed = 0;
PFN_vkCreateImageView real_view = nullptr;
PFN_vkCreateSampler real_sampler = nullptr;

VKAPI_ATTR VkResult VKAPI_CALL failing_view(VkDevice device, const VkImageViewCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkImageView* view) {
  if (calls_that_succeed-- > 0) return real_view(device, info, allocator, view);
  return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}
VKAPI_ATTR VkResult VKAPI_CALL failing_sampler(VkDevice device, const VkSamplerCreateInfo* info,
                                               const VkAllocationCallbacks* allocator, VkSampler* sampler) {
  if (calls_that_succeed-- > 0) return real_sampler(device, info, allocator, sampler);
  return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

// Each call fails in turn, until all succeed. The layer tells at the end of the device what was leaked.
TEST(VulkanImageFailure, FailedCallsLeaveNothingBehind) {
  std::string reason;
  auto device = open_fresh({}, "", reason);
  if (!device) GTEST_SKIP() << "no Vulkan device: " << reason;
  if (!device->has_images()) GTEST_SKIP() << "images lie in buffers";
  const auto before = validation_counts();
  VolkDeviceTable& table = const_cast<Gpu&>(device->gpu()).vk;
  real_view = table.vkCreateImageView;
  real_sampler = table.vkCreateSampler;
  table.vkCreateImageView = failing_view;
  table.vkCreateSampler = failing_sampler;
  vd_sampler_desc how = VD_SAMPLER_DESC_INIT;
  how.address_mode = VD_ADDRESS_CLAMP_TO_BORDER;
  auto out = device->make_memory(256, false, "out");
  int failures = 0;
  for (int allowed = 0; allowed < 20; ++allowed) {
    calls_that_succeed = allowed;
    try {
      const Mixing mixing(*device, how);
      ListBuilder work;
      mixing.launch(work, *out);
      const uint64_t value = device->queue(0).submit(work.list);
      ASSERT_TRUE(device->queue(0).wait(value, VD_WAIT_FOREVER));
      break;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), VD_ERR_OUT_OF_MEMORY) << error.what();
      ++failures;
    }
  }
  // Two views, two samplers, and the view of the level that is stored.
  EXPECT_EQ(failures, 5);
  table.vkCreateImageView = real_view;
  table.vkCreateSampler = real_sampler;
  out.reset();
  device.reset();
  EXPECT_EQ(validation_counts().errors, before.errors) << last_validation_message();
}

// A device whose images lie in buffers makes none of its own.
TEST(VulkanImageFallback, IsADevicesTrait) {
  Overrides overrides;
  overrides.images = false;
  std::string reason;
  const auto device = open_fresh(overrides, "", reason);
  if (!device) GTEST_SKIP() << "no Vulkan device: " << reason;
  EXPECT_FALSE(device->has_images());
}

}  // namespace
}  // namespace vd::vulkan
