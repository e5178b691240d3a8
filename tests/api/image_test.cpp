// Images on every backend: what kernels sample, load and store, transfers of regions, mip levels, graphs, and what is
// refused. Results are compared with tests/support/image_reference.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string_view>
#include <utility>

#include "api/shared_context.h"
#include "api/support.h"
#include "api/validation_log.h"
#include "support/image_reference.h"
#include "support/samples.h"
#include "vkdispatch_build.h"

namespace api {

namespace {

using testing::HasSubstr;
using vd::test::Format;
using vd::test::format_of;
using vd::test::ImageReference;
using vd::test::Texel;

// An image and what it holds.
struct Made {
  Image image;
  std::unique_ptr<ImageReference> reference;
};

struct Form {
  uint32_t dimensions;
  std::array<uint32_t, 3> extent;
  uint32_t layers;

  uint32_t coordinates() const { return dimensions + (layers != 0 ? 1 : 0); }
};
const Form kForms[] = {{1, {13, 1, 1}, 0}, {1, {7, 1, 1}, 3}, {2, {13, 6, 1}, 0}, {2, {5, 7, 1}, 4}, {3, {5, 6, 7}, 0}};

constexpr vd_type vector_type(vd_type scalar, uint32_t count) {
  return count == 1 ? scalar : scalar | 0x100 | count << 12;
}

class ImageTest : public testing::TestWithParam<vd_backend> {
 protected:
  void SetUp() override {
    ctx_ = api::shared_context(GetParam(), GetParam() == VD_BACKEND_VULKAN ? VD_CONTEXT_DEBUG : 0);
    if (ctx_ == nullptr) GTEST_SKIP() << vd_last_error();
  }
  void TearDown() override { EXPECT_EQ(validation_.text(), ""); }

  bool is_cpu() const {
    vd_device_info info = VD_DEVICE_INFO_INIT;
    EXPECT_OK(vd_context_get_device(ctx_, 0, &info));
    return info.type == VD_DEVICE_CPU;
  }
  // PoCL takes half a second for a kernel, so its short form has fewer: sampling is the same code for all.
  bool short_form() const { return GetParam() == VD_BACKEND_OPENCL && !vd::test::full_form() && is_cpu(); }
  std::vector<Form> forms() const {
    if (short_form()) return {kForms[2], kForms[3]};
    return {std::begin(kForms), std::end(kForms)};
  }
  // Lavapipe compiles each kind of sampling anew, so its short form has all of them in two dimensions alone: what we tell a
  // driver of a format and of a sampler is the same for all forms.
  bool every_sampler(const Form& form) const {
    return form.dimensions == 2 || vd::test::full_form() || GetParam() != VD_BACKEND_VULKAN || !is_cpu();
  }
  std::vector<Format> stored_formats() const { return short_form() ? few_formats() : vd::test::all_formats(); }
  // One of each kind and of each number of channels.
  static std::vector<Format> few_formats() {
    return {format_of(VD_FORMAT_R8_UNORM), format_of(VD_FORMAT_RG8_I8), format_of(VD_FORMAT_RGBA16_F16),
            format_of(VD_FORMAT_RG16_U16), format_of(VD_FORMAT_RGBA32_F32)};
  }

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }

  // Random texels; of floats such that the mean of any of them is exact to a part of their range.
  void fill(ImageReference& reference, uint32_t level) {
    const Format& format = reference.format();
    std::vector<std::byte>& bytes = reference.bytes(level);
    for (size_t i = 0; i < bytes.size(); i += format.bytes) {
      uint32_t bits = static_cast<uint32_t>(random_());
      if (format.kind == 'f') {
        const float value = static_cast<float>(uniform(-2, 2));
        std::memcpy(&bits, &value, 4);
        if (format.bytes == 2) bits = static_cast<uint32_t>(0x3000 + (random_() % 0xC00) + (random_() % 2 << 15));
      }
      std::memcpy(bytes.data() + i, &bits, format.bytes);
    }
  }

  Made make(const Format& format, const Form& form, uint32_t levels = 1, vd_image_flags flags = 0) {
    Made made;
    vd_image_desc desc = VD_IMAGE_DESC_INIT;
    desc.format = format.number;
    desc.dimensions = form.dimensions;
    std::copy(form.extent.begin(), form.extent.end(), desc.extent);
    desc.layers = form.layers;
    desc.mip_levels = levels;
    desc.flags = flags;
    EXPECT_OK(vd_image_create(ctx_, &desc, made.image.out())) << format.name;
    vd_image_info info = VD_IMAGE_INFO_INIT;
    EXPECT_OK(vd_image_get_info(made.image, &info));
    made.reference =
        std::make_unique<ImageReference>(format, form.dimensions, form.extent, form.layers, info.mip_levels);
    for (uint32_t level = 0; level < info.mip_levels; ++level) {
      vd_image_level_info one = VD_IMAGE_LEVEL_INFO_INIT;
      EXPECT_OK(vd_image_get_level(made.image, level, &one));
      for (uint32_t axis = 0; axis < 3; ++axis) EXPECT_EQ(one.extent[axis], made.reference->extent(axis, level));
      fill(*made.reference, level);
      EXPECT_EQ(one.size, made.reference->bytes(level).size());
      write_level(made, level);
    }
    return made;
  }
  static void write_level(Made& made, uint32_t level) {
    vd_image_region region = VD_IMAGE_REGION_INIT;
    region.level = level;
    const auto& bytes = made.reference->bytes(level);
    EXPECT_OK(vd_image_write(made.image, &region, bytes.data(), bytes.size(), 0));
  }
  static std::vector<std::byte> read_level(vd_image* image, const ImageReference& reference, uint32_t level) {
    std::vector<std::byte> bytes(reference.size(level));
    vd_image_region region = VD_IMAGE_REGION_INIT;
    region.level = level;
    EXPECT_OK(vd_image_read(image, &region, bytes.size(), 0, bytes.data()));
    return bytes;
  }
  Sampler make_sampler(const vd_sampler_desc& desc) {
    Sampler sampler;
    EXPECT_OK(vd_sampler_create(ctx_, &desc, sampler.out()));
    return sampler;
  }

  static vd_value image_argument(vd_builder* b, const char* name, vd_type channel, const Form& form,
                                 vd_argument_access access = 0, vd_format format = VD_FORMAT_NONE) {
    const uint32_t n = form.dimensions;
    if (access == 0)
      return form.layers != 0 ? vd_argument_image_array(b, channel, n, name) : vd_argument_image(b, channel, n, name);
    return form.layers != 0 ? vd_argument_storage_image_array(b, channel, n, format, access, name)
                            : vd_argument_storage_image(b, channel, n, format, access, name);
  }
  // A vector of consecutive elements of a buffer: those of this invocation.
  static vd_value vector_at(vd_builder* b, vd_value buffer, vd_type scalar, uint32_t count) {
    const vd_value first = vd_mul(b, vd_global_id(b, 0), vd_const_u32(b, count));
    vd_value parts[4];
    for (uint32_t i = 0; i < count; ++i) parts[i] = vd_at(b, buffer, vd_add(b, first, vd_const_u32(b, i)));
    return count == 1 ? parts[0] : vd_emit(b, VD_OP_CONSTRUCT, vector_type(scalar, count), parts, count, 0);
  }
  Plan plan_of(Builder& builder) {
    Kernel kernel;
    EXPECT_OK(vd_builder_finish(builder, kernel.out()));
    return make_plan(ctx_, kernel);
  }
  // out[i] = sample(image, at[i], level[i])
  Plan sample_plan(vd_type channel, const Form& form) {
    Builder b;
    EXPECT_OK(vd_builder_create(nullptr, b.out()));
    const vd_value image = image_argument(b, "image", channel, form);
    const vd_value at = vd_argument_buffer(b, VD_TYPE_F32, "at"), level = vd_argument_buffer(b, VD_TYPE_F32, "level");
    const vd_value out = vd_argument_buffer(b, vector_type(channel, 4), "out"), i = vd_global_id(b, 0);
    const vd_value place = vector_at(b, at, VD_TYPE_F32, form.coordinates());
    vd_store_at(b, out, i, vd_image_sample(b, image, place, vd_at(b, level, i)));
    return plan_of(b);
  }
  static vd_binding image_binding(vd_image* image, vd_sampler* sampler = nullptr, uint32_t level = 0) {
    vd_binding binding{};
    binding.image = image;
    binding.sampler = sampler;
    binding.level = level;
    return binding;
  }
  static vd_binding buffer_binding(vd_buffer* buffer) { return VD_BINDING_OF(buffer, 0, VD_WHOLE_SIZE); }
  static vd_status launch(vd_plan* plan, uint32_t count, const std::vector<vd_binding>& bindings) {
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    desc.invocations[0] = count;
    desc.bindings = bindings.data();
    desc.binding_count = static_cast<uint32_t>(bindings.size());
    return vd_plan_launch(plan, &desc, nullptr);
  }

  // PoCL 3.1, where tests have it sample, gives 234 for each texel of r16_f16, and takes layers for a part of one where
  // coordinates repeat.
  static bool driver_is_wrong(const Format& format, const Form& form, const vd_sampler_desc& how) {
    const char* const images = std::getenv("VKDISPATCH_OPENCL_IMAGES");
    if (GetParam() != VD_BACKEND_OPENCL || images == nullptr || std::string_view(images) != "1") return false;
    const bool repeats = how.address_mode == VD_ADDRESS_REPEAT || how.address_mode == VD_ADDRESS_MIRRORED_REPEAT;
    const bool linear = how.mag_filter == VD_FILTER_LINEAR || how.min_filter == VD_FILTER_LINEAR;
    return format.number == VD_FORMAT_R16_F16 || (form.layers != 0 && repeats && linear);
  }

  // Samples at random places far beyond the edges, and compares.
  void expect_samples(vd_plan* plan, Made& made, const Form& form, const vd_sampler_desc& how) {
    constexpr uint32_t kCount = 200;
    ImageReference& reference = *made.reference;
    if (driver_is_wrong(reference.format(), form, how)) return;
    std::vector<float> at, levels;
    for (uint32_t i = 0; i < kCount; ++i) {
      for (uint32_t axis = 0; axis < form.dimensions; ++axis) {
        const double n = form.extent[axis];
        // Whole texels among them.
        at.push_back(static_cast<float>(i % 4 == 0 ? std::floor(uniform(-n, 2 * n)) : uniform(-2 * n, 3 * n)));
      }
      if (form.layers != 0) at.push_back(static_cast<float>(std::floor(uniform(-1, form.layers + 1)) + 0.25));
      const double level = uniform(-1, reference.levels() + 1);
      // Levels where another one becomes the nearest, and another filter the sampler's, are among them.
      const double edge = std::floor(2 * level) / 2 + (i % 2 == 0 ? 0 : i % 3 == 1 ? 0.001 : -0.001);
      levels.push_back(i % 3 == 0 ? 0 : static_cast<float>(i % 5 == 0 ? edge : level));
    }
    const Buffer at_buffer = make_buffer(ctx_, at), level_buffer = make_buffer(ctx_, levels);
    const Buffer out = make_buffer(ctx_, kCount * 16);
    const Sampler sampler = make_sampler(how);
    ASSERT_OK(launch(plan, kCount,
                     {image_binding(made.image, sampler), buffer_binding(at_buffer), buffer_binding(level_buffer),
                      buffer_binding(out)}));
    const auto words = read<uint32_t>(out, kCount * 4);
    uint32_t compared = 0;
    for (uint32_t i = 0; i < kCount; ++i) {
      const uint32_t n = form.coordinates();
      const std::vector<double> place(at.begin() + i * n, at.begin() + (i + 1) * n);
      const auto wanted = reference.sample(how, place, levels[i]);
      if (wanted.close) continue;
      ++compared;
      for (uint32_t c = 0; c < 4; ++c) {
        const double found = value_of(reference.format(), words[i * 4 + c]);
        // Weights are exact to 2^-8 an axis and between levels; texels lie between -2 and 2.
        const double bound = reference.format().floats() ? (form.dimensions + 1) * 4.0 / 256 : 0;
        const bool nearest = how.mag_filter == VD_FILTER_NEAREST && how.min_filter == VD_FILTER_NEAREST &&
                             how.mip_filter == VD_FILTER_NEAREST;
        EXPECT_NEAR(found, wanted.texel[c], nearest ? 1e-6 : bound)
            << reference.format().name << " of " << form.dimensions << " dimensions, sample " << i << " at " << place[0]
            << " level " << levels[i] << " channel " << c << " filters " << how.mag_filter << how.min_filter
            << how.mip_filter << " address " << how.address_mode;
      }
      if (HasFailure()) return;
    }
    EXPECT_GT(compared, kCount / 2);
  }
  static double value_of(const Format& format, uint32_t word) {
    if (!format.floats()) return format.kind == 'i' ? static_cast<double>(static_cast<int32_t>(word)) : word;
    float value = 0;
    std::memcpy(&value, &word, 4);
    return value;
  }

  ValidationLog validation_;
  Context ctx_;
  std::mt19937 random_{20240611};
};

TEST_P(ImageTest, SamplesEveryFormat) {
  for (const Form& form : forms()) {
    const Plan plans[] = {sample_plan(VD_TYPE_F32, form), sample_plan(VD_TYPE_I32, form),
                          sample_plan(VD_TYPE_U32, form)};
    for (const Format& format : every_sampler(form) ? vd::test::all_formats() : few_formats()) {
      Made made = make(format, form);
      vd_sampler_desc how = VD_SAMPLER_DESC_INIT;
      how.address_mode = VD_ADDRESS_CLAMP_TO_EDGE;
      const int kind = format.floats() ? 0 : format.kind == 'i' ? 1 : 2;
      expect_samples(plans[kind], made, form, how);
      if (format.floats()) {
        how.mag_filter = how.min_filter = VD_FILTER_LINEAR;
        expect_samples(plans[kind], made, form, how);
      }
      if (HasFailure()) return;
    }
  }
}

TEST_P(ImageTest, SamplesByEveryAddressModeAndFilter) {
  for (const Form& form : forms()) {
    const Plan plan = sample_plan(VD_TYPE_F32, form), whole = sample_plan(VD_TYPE_I32, form);
    Made made = make(format_of(VD_FORMAT_RGBA32_F32), form, VD_MIP_LEVELS_ALL);
    Made integers = make(format_of(VD_FORMAT_RG16_I16), form, VD_MIP_LEVELS_ALL);
    const bool every = every_sampler(form);
    for (int mode = 0; mode <= VD_ADDRESS_MIRROR_CLAMP_TO_EDGE; ++mode) {
      vd_sampler_desc how = VD_SAMPLER_DESC_INIT;
      how.address_mode = static_cast<vd_address_mode>(mode);
      how.border_color = VD_BORDER_INT_OPAQUE_WHITE;
      expect_samples(whole, integers, form, how);
      for (int filters = 0; filters < 8; ++filters) {
        if (!every && filters != mode && filters != 7 - mode) continue;  // each filter both ways
        how.mag_filter = static_cast<vd_filter>(filters & 1);
        how.min_filter = static_cast<vd_filter>(filters >> 1 & 1);
        how.mip_filter = static_cast<vd_filter>(filters >> 2);
        how.border_color = static_cast<vd_border_color>(filters % 3 * 2);
        expect_samples(plan, made, form, how);
        if (HasFailure()) return;
      }
    }
  }
}

// Places at the edges between texels and a rounding error beside them, inside and outside of the image.
TEST_P(ImageTest, SamplesExactlyTheNearestTexel) {
  for (const Form& form : forms()) {
    const uint32_t coordinates = form.coordinates();
    Builder b;
    ASSERT_OK(vd_builder_create(nullptr, b.out()));
    const vd_value image = image_argument(b, "image", VD_TYPE_F32, form);
    const vd_value places = vd_argument_buffer(b, VD_TYPE_F32, "places");
    const vd_value out = vd_argument_buffer(b, vector_type(VD_TYPE_F32, 4), "out"), i = vd_global_id(b, 0);
    const vd_value operands[] = {image, vector_at(b, places, VD_TYPE_F32, coordinates)}, two = vd_const_u32(b, 2);
    vd_store_at(b, out, vd_mul(b, i, two), vd_emit(b, VD_OP_IMAGE_SAMPLE, 0, operands, 2, 0));
    vd_store_at(b, out, vd_add(b, vd_mul(b, i, two), vd_const_u32(b, 1)),
                vd_image_sample(b, image, operands[1], vd_const_f32(b, 0)));
    const Plan plan = plan_of(b);
    Made made = make(format_of(VD_FORMAT_R32_F32), form);

    std::vector<float> at;
    const auto add_axis = [&](uint32_t axis) {
      const int n = static_cast<int>(form.extent[axis]);
      for (int edge = -n; edge <= 2 * n; ++edge) {
        const float exact = static_cast<float>(edge) - 0.5f;
        for (const float x : {exact, std::nextafter(exact, -100.0f), std::nextafter(exact, 100.0f), exact - 0.001f,
                              exact + 0.001f, exact + 0.5f}) {
          for (uint32_t c = 0; c < coordinates; ++c) at.push_back(c == axis ? x : 1);
        }
      }
    };
    for (uint32_t axis = 0; axis < form.dimensions; ++axis) add_axis(axis);
    const auto count = static_cast<uint32_t>(at.size() / coordinates);
    const Buffer place_buffer = make_buffer(ctx_, at), found = make_buffer(ctx_, 2 * count * 16);
    for (int mode = 0; mode <= VD_ADDRESS_MIRROR_CLAMP_TO_EDGE; ++mode) {
      vd_sampler_desc how = VD_SAMPLER_DESC_INIT;
      how.address_mode = static_cast<vd_address_mode>(mode);
      const Sampler sampler = make_sampler(how);
      ASSERT_OK(launch(plan, count,
                       {image_binding(made.image, sampler), buffer_binding(place_buffer), buffer_binding(found)}));
      const auto values = read<float>(found, 2 * count * 4);
      for (uint32_t n = 0; n < count; ++n) {
        const std::vector<double> place(at.begin() + n * coordinates, at.begin() + (n + 1) * coordinates);
        const double wanted = made.reference->sample(how, place, 0).texel[0];
        for (uint32_t k = 0; k < 2; ++k) {
          ASSERT_EQ(values[(2 * n + k) * 4], wanted)
              << form.dimensions << " dimensions, address mode " << mode << ", place " << n << " with "
              << fmt::format("{}", fmt::join(place, ", ")) << (k == 0 ? " without a level" : " at level 0");
        }
      }
    }
  }
}

TEST_P(ImageTest, SamplersBoundTheLevel) {
  const Form form{2, {16, 12, 1}, 0};
  const Plan plan = sample_plan(VD_TYPE_F32, form);
  Made made = make(format_of(VD_FORMAT_R32_F32), form, VD_MIP_LEVELS_ALL);
  vd_sampler_desc how = VD_SAMPLER_DESC_INIT;
  how.mip_filter = VD_FILTER_LINEAR;
  how.mip_lod_bias = 0.75;
  expect_samples(plan, made, form, how);
  how.min_lod = 1.25;
  expect_samples(plan, made, form, how);
  how.max_lod = 2.5;
  expect_samples(plan, made, form, how);
  how = VD_SAMPLER_DESC_INIT;
  how.max_lod = VD_LOD_BASE;
  expect_samples(plan, made, form, how);
}

// A level that is left out is 0, with the sampler's bias and between its bounds.
TEST_P(ImageTest, SamplesWithoutALevelTakeThatOf0) {
  const Form form{2, {13, 11, 1}, 0};
  Builder b;
  ASSERT_OK(vd_builder_create(nullptr, b.out()));
  const vd_value image = image_argument(b, "image", VD_TYPE_F32, form);
  const vd_value out = vd_argument_buffer(b, vector_type(VD_TYPE_F32, 4), "out"), i = vd_global_id(b, 0);
  const vd_value x = vd_mul(b, vd_convert(b, VD_TYPE_F32, i), vd_const_f32(b, 0.37f)), two = vd_const_u32(b, 2);
  const vd_value parts[] = {x, x};
  const vd_value place = vd_emit(b, VD_OP_CONSTRUCT, vector_type(VD_TYPE_F32, 2), parts, 2, 0);
  const vd_value operands[] = {image, place};
  vd_store_at(b, out, vd_mul(b, i, two), vd_image_sample(b, image, place, vd_const_f32(b, 0)));
  vd_store_at(b, out, vd_add(b, vd_mul(b, i, two), vd_const_u32(b, 1)),
              vd_emit(b, VD_OP_IMAGE_SAMPLE, 0, operands, 2, 0));
  const Plan plan = plan_of(b);
  Made made = make(format_of(VD_FORMAT_R32_F32), form, VD_MIP_LEVELS_ALL);
  const Buffer found = make_buffer(ctx_, 2 * 64 * 16);
  const auto expect_equal = [&](const char* way, int turn) {
    const auto values = read<float>(found, 2 * 64 * 4);
    for (size_t n = 0; n < 64; ++n)
      EXPECT_EQ(values[n * 8], values[n * 8 + 4]) << way << " " << turn << " sample " << n;
  };
  const Buffer counts = make_buffer(ctx_, std::vector<uint32_t>{1, 1, 1});
  Graph graph;
  ASSERT_OK(vd_graph_create(ctx_, nullptr, graph.out()));
  vd_node node = 0;
  for (int turn = 0; turn < 7; ++turn) {
    vd_sampler_desc how = VD_SAMPLER_DESC_INIT;
    how.mag_filter = turn % 2 == 0 ? VD_FILTER_LINEAR : VD_FILTER_NEAREST;
    how.min_filter = turn % 2 == 0 ? VD_FILTER_NEAREST : VD_FILTER_LINEAR;
    how.mip_filter = turn % 3 == 0 ? VD_FILTER_LINEAR : VD_FILTER_NEAREST;
    how.mip_lod_bias = turn < 2 ? 0.0f : 0.4f * static_cast<float>(turn);
    if (turn == 4) how.min_lod = 2.25f;
    if (turn == 5) how.max_lod = 1.5f;
    const Sampler sampler = make_sampler(how);
    const vd_binding bindings[] = {image_binding(made.image, sampler), buffer_binding(found)};
    ASSERT_OK(launch(plan, 64, {bindings[0], bindings[1]}));
    expect_equal("launch", turn);
    ASSERT_OK(vd_buffer_fill(found, 0, 2 * 64 * 16, 0xFFFFFFFF, 0, nullptr, nullptr));
    vd_launch_desc counted = VD_LAUNCH_DESC_INIT;
    counted.invocations[0] = 64;
    counted.bindings = bindings;
    counted.binding_count = 2;
    counted.counts = counts;
    ASSERT_OK(vd_plan_launch(plan, &counted, nullptr));
    expect_equal("launch with counts", turn);
    if (turn == 0) {
      vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
      desc.invocations[0] = 64;
      desc.bindings = bindings;
      desc.binding_count = 2;
      ASSERT_OK(vd_graph_launch(graph, plan, &desc, &node));
    } else {
      ASSERT_OK(vd_graph_set_bindings(graph, node, 0, bindings, 1));
    }
    ASSERT_OK(vd_buffer_fill(found, 0, 2 * 64 * 16, 0xFFFFFFFF, 0, nullptr, nullptr));
    ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
    expect_equal("graph", turn);
  }
}

TEST_P(ImageTest, LoadsTexelsOfEveryLevelAndZerosOutside) {
  for (const Form& form : forms()) {
    Builder b;
    ASSERT_OK(vd_builder_create(nullptr, b.out()));
    const vd_value image = image_argument(b, "image", VD_TYPE_U32, form);
    const vd_value at = vd_argument_buffer(b, VD_TYPE_I32, "at"), level = vd_argument_buffer(b, VD_TYPE_I32, "level");
    const vd_value out = vd_argument_buffer(b, vector_type(VD_TYPE_U32, 4), "out");
    const vd_value sizes = vd_argument_buffer(b, vector_type(VD_TYPE_I32, 4), "sizes"), i = vd_global_id(b, 0);
    const vd_value place = vector_at(b, at, VD_TYPE_I32, form.coordinates());
    vd_store_at(b, out, i, vd_image_load(b, image, place, vd_at(b, level, i)));
    vd_store_at(b, sizes, i, vd_image_size(b, image, vd_at(b, level, i)));
    const Plan plan = plan_of(b);
    Made made = make(format_of(VD_FORMAT_RG8_U8), form, VD_MIP_LEVELS_ALL);
    ImageReference& reference = *made.reference;

    constexpr uint32_t kCount = 500;
    std::vector<int32_t> places, levels;
    const auto draw = [&](int32_t low, int32_t high) { return std::uniform_int_distribution(low, high)(random_); };
    for (uint32_t n = 0; n < kCount; ++n) {
      const int32_t l = draw(0, static_cast<int32_t>(reference.levels()) - 1);
      levels.push_back(n % 50 == 7 ? l - 100 : n % 50 == 8 ? l + 100 : l);
      for (uint32_t axis = 0; axis < form.dimensions; ++axis)
        places.push_back(draw(-1, static_cast<int32_t>(reference.extent(axis, static_cast<uint32_t>(l)))));
      if (form.layers != 0) places.push_back(draw(-1, static_cast<int32_t>(form.layers)));
      if (n == 3) places.back() = INT32_MIN;
    }
    const Buffer at_buffer = make_buffer(ctx_, places), level_buffer = make_buffer(ctx_, levels);
    const Buffer found = make_buffer(ctx_, kCount * 16), size_buffer = make_buffer(ctx_, kCount * 16);
    ASSERT_OK(launch(plan, kCount,
                     {image_binding(made.image), buffer_binding(at_buffer), buffer_binding(level_buffer),
                      buffer_binding(found), buffer_binding(size_buffer)}));
    const auto words = read<uint32_t>(found, kCount * 4);
    const auto size_words = read<int32_t>(size_buffer, kCount * 4);
    for (uint32_t n = 0; n < kCount; ++n) {
      const int32_t* place_of = places.data() + n * form.coordinates();
      std::array<int32_t, 3> p{};
      for (uint32_t axis = 0; axis < form.dimensions; ++axis) p[axis] = place_of[axis];
      if (form.layers != 0) p[2] = place_of[form.dimensions];
      const bool level_exists = levels[n] >= 0 && levels[n] < static_cast<int32_t>(reference.levels());
      const auto l = static_cast<uint32_t>(std::clamp(levels[n], 0, static_cast<int32_t>(reference.levels()) - 1));
      const std::array<uint32_t, 3> all{reference.extent(0, l), reference.extent(1, l), reference.slices(l)};
      bool inside = level_exists;
      for (int axis = 0; axis < 3; ++axis)
        inside = inside && p[axis] >= 0 && static_cast<uint32_t>(p[axis]) < all[axis];
      const Texel wanted = inside ? reference.load(l, static_cast<uint32_t>(p[0]), static_cast<uint32_t>(p[1]),
                                                   static_cast<uint32_t>(p[2]))
                                  : Texel{};
      for (int c = 0; c < 4; ++c) EXPECT_EQ(words[n * 4 + c], wanted[c]) << form.dimensions << " " << n;
      if (level_exists) {
        EXPECT_EQ((std::vector<int32_t>(size_words.begin() + n * 4, size_words.begin() + n * 4 + 4)),
                  (std::vector<int32_t>{static_cast<int32_t>(all[0]), static_cast<int32_t>(all[1]),
                                        static_cast<int32_t>(all[2]), static_cast<int32_t>(reference.levels())}));
      }
      if (HasFailure()) return;
    }
  }
}

// Each invocation moves a texel one to the right, plus a number, within a level of an image that it loads and stores.
TEST_P(ImageTest, LoadsAndStoresEveryFormat) {
  const Form form{2, {9, 5, 1}, 0};
  for (const Format& format : stored_formats()) {
    Builder b;
    ASSERT_OK(vd_builder_create(nullptr, b.out()));
    const vd_value from = image_argument(b, "from", format.channel(), form, VD_ARGUMENT_ACCESS_READ, format.number);
    const vd_value to = image_argument(b, "to", format.channel(), form, VD_ARGUMENT_ACCESS_WRITE, format.number);
    const vd_value id = vd_global_id(b, 0), x = vd_rem(b, id, vd_const_u32(b, 9)),
                   y = vd_div(b, id, vd_const_u32(b, 9));
    const vd_value here[] = {x, y}, next[] = {vd_add(b, x, vd_const_u32(b, 1)), y};
    const vd_type place = vector_type(VD_TYPE_U32, 2);
    const vd_value texel = vd_image_load(b, from, vd_emit(b, VD_OP_CONSTRUCT, place, here, 2, 0), 0);
    vd_image_store(b, to, vd_emit(b, VD_OP_CONSTRUCT, place, next, 2, 0), texel);
    const Plan plan = plan_of(b);
    Made source = make(format, form, 1, VD_IMAGE_STORAGE),
         destination = make(format, {2, {20, 10, 1}, 0}, 2, VD_IMAGE_STORAGE);
    // Level 1 of 20 x 10 is 10 x 5.
    ASSERT_OK(launch(plan, 9 * 6, {image_binding(source.image), image_binding(destination.image, nullptr, 1)}));
    for (uint32_t row = 0; row < 5; ++row) {
      for (uint32_t column = 0; column < 9; ++column)
        std::memcpy(destination.reference->at(1, column + 1, row, 0), source.reference->at(0, column, row, 0),
                    format.size());
    }
    EXPECT_EQ(read_level(destination.image, *destination.reference, 1), destination.reference->bytes(1)) << format.name;
    EXPECT_EQ(read_level(destination.image, *destination.reference, 0), destination.reference->bytes(0)) << format.name;
  }
}

TEST_P(ImageTest, StoresAreRoundedAndSaturate) {
  const Form form{1, {8, 1, 1}, 0};
  const auto store = [&](const Format& format, vd_type channel, const auto& values) {
    Builder b;
    EXPECT_OK(vd_builder_create(nullptr, b.out()));
    const vd_value to = image_argument(b, "to", channel, form, VD_ARGUMENT_ACCESS_WRITE, format.number);
    const vd_value from = vd_argument_buffer(b, channel, "from"), i = vd_global_id(b, 0);
    const vd_value value = vd_at(b, from, i);
    const vd_value parts[] = {value, value, value, value};
    vd_image_store(b, to, i, vd_emit(b, VD_OP_CONSTRUCT, vector_type(channel, 4), parts, 4, 0));
    const Plan plan = plan_of(b);
    Made made = make(format, form, 1, VD_IMAGE_STORAGE);
    const Buffer buffer = make_buffer(ctx_, values);
    EXPECT_OK(launch(plan, 8, {image_binding(made.image), buffer_binding(buffer)}));
    return read_level(made.image, *made.reference, 0);
  };
  const auto bytes = store(format_of(VD_FORMAT_R8_UNORM), VD_TYPE_F32,
                           std::vector<float>{-1, 0, 0.5f, 1, 2, 1.5f / 255, 2.5f / 255, NAN});
  const int expected[] = {0, 0, 128, 255, 255, 2, 2, 0};
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(static_cast<int>(bytes[i]), expected[i], i == 5 || i == 6 ? 1 : 0) << i;
  const auto small =
      store(format_of(VD_FORMAT_R8_I8), VD_TYPE_I32, std::vector<int32_t>{-1000, -128, -1, 0, 1, 127, 128, INT32_MAX});
  EXPECT_EQ(small, (std::vector<std::byte>{std::byte{0x80}, std::byte{0x80}, std::byte{0xff}, std::byte{0},
                                           std::byte{1}, std::byte{127}, std::byte{127}, std::byte{127}}));
  const auto halves = store(format_of(VD_FORMAT_R16_F16), VD_TYPE_F32,
                            std::vector<float>{0, -1.5f, 65504, 65520, 1e-7f, 6.1e-5f, 1.0f + 1.0f / 2048, INFINITY});
  const uint16_t wanted[] = {0, 0xbe00, 0x7bff, 0x7c00, 2, 0x0400, 0x3c00, 0x7c00};
  for (int i = 0; i < 8; ++i) {
    uint16_t bits = 0;
    std::memcpy(&bits, halves.data() + i * 2, 2);
    EXPECT_EQ(bits, i == 5 ? 0x03ff : wanted[i]) << i;
  }
}

TEST_P(ImageTest, RegionsTravelBothWays) {
  for (const vd_format number : {VD_FORMAT_R8_U8, VD_FORMAT_RG16_U16, VD_FORMAT_RGBA32_F32}) {
    for (const Form& form : forms()) {
      Made made = make(format_of(number), form, VD_MIP_LEVELS_ALL);
      ImageReference& reference = *made.reference;
      for (int turn = 0; turn < 8; ++turn) {
        vd_image_region region = VD_IMAGE_REGION_INIT;
        region.level = static_cast<uint32_t>(random_() % reference.levels());
        std::array<uint32_t, 3> offset{}, extent{1, 1, 1};
        for (uint32_t axis = 0; axis < 3; ++axis) {
          const uint32_t n = axis == 2 ? reference.slices(region.level) : reference.extent(axis, region.level);
          offset[axis] = static_cast<uint32_t>(random_() % n);
          extent[axis] = 1 + static_cast<uint32_t>(random_() % (n - offset[axis]));
        }
        std::copy_n(offset.begin(), 3, region.offset);
        std::copy_n(extent.begin(), 3, region.extent);
        if (form.layers != 0) {
          region.layer = offset[2];
          region.layer_count = extent[2];
          region.offset[2] = region.extent[2] = 0;
        }
        const uint32_t size = format_of(number).size(), row = extent[0] * size;
        std::vector<std::byte> data(uint64_t{row} * extent[1] * extent[2]);
        for (std::byte& byte : data) byte = static_cast<std::byte>(random_());
        ASSERT_OK(vd_image_write(made.image, &region, data.data(), data.size(), 0));
        for (uint32_t z = 0; z < extent[2]; ++z) {
          for (uint32_t y = 0; y < extent[1]; ++y)
            std::memcpy(reference.at(region.level, offset[0], offset[1] + y, offset[2] + z),
                        data.data() + (uint64_t{z} * extent[1] + y) * row, row);
        }
        std::vector<std::byte> back(data.size());
        ASSERT_OK(vd_image_read(made.image, &region, back.size(), 0, back.data()));
        EXPECT_EQ(back, data);
        // The same by way of a buffer.
        const Buffer buffer = make_buffer(ctx_, data.size() + 64);
        ASSERT_OK(vd_image_copy_to_buffer(made.image, &region, buffer, 32, 0, nullptr, nullptr));
        const auto all = read<std::byte>(buffer, data.size() + 32);
        EXPECT_EQ(std::vector<std::byte>(all.begin() + 32, all.end()), data);
        ASSERT_OK(vd_image_copy_from_buffer(made.image, &region, buffer, 32, 0, nullptr, nullptr));
      }
      for (uint32_t level = 0; level < reference.levels(); ++level)
        EXPECT_EQ(read_level(made.image, reference, level), reference.bytes(level)) << form.dimensions << " " << level;
    }
  }
}

// A binding begins before the texels where the device wants it aligned. The bytes between are not the copy's.
TEST_P(ImageTest, CopiesLeaveBytesBesideThemAlone) {
  Made made = make(format_of(VD_FORMAT_RGBA8_UNORM), {2, {16, 16, 1}, 0}, 1);
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  desc.flags = VD_BUFFER_HOST;
  desc.size = 256;
  Buffer buffer;
  ASSERT_OK(vd_buffer_create(ctx_, &desc, buffer.out()));
  Mapping mapping;
  ASSERT_OK(vd_buffer_map(buffer, 0, 8, VD_MAP_READ | VD_MAP_WRITE, 0, mapping.out()));
  vd_image_region region = VD_IMAGE_REGION_INIT;
  region.extent[0] = region.extent[1] = 4;
  Graph graph;
  ASSERT_OK(vd_graph_create(ctx_, nullptr, graph.out()));
  for (const uint64_t offset : {8, 12}) {
    EXPECT_OK(vd_image_copy_to_buffer(made.image, &region, buffer, offset, 0, nullptr, nullptr)) << offset;
    EXPECT_OK(vd_image_copy_from_buffer(made.image, &region, buffer, offset, 0, nullptr, nullptr)) << offset;
    EXPECT_OK(vd_graph_copy_image_to_buffer(graph, made.image, &region, buffer, offset, nullptr));
  }
  EXPECT_OK(vd_graph_submit(graph, nullptr, nullptr));
  EXPECT_EQ(vd_image_copy_to_buffer(made.image, &region, buffer, 4, 0, nullptr, nullptr), VD_ERR_STATE);
}

TEST_P(ImageTest, ImagesAreCopied) {
  const Form form{2, {12, 9, 1}, 3}, other{2, {7, 8, 1}, 2};
  Made from = make(format_of(VD_FORMAT_RGBA8_UNORM), form), to = make(format_of(VD_FORMAT_RGBA8_UNORM), other);
  vd_image_region region = VD_IMAGE_REGION_INIT, place = VD_IMAGE_REGION_INIT;
  region.layer = 1;
  region.layer_count = place.layer_count = 2;
  region.offset[0] = 3;
  region.offset[1] = 2;
  place.offset[0] = 1;
  region.extent[0] = place.extent[0] = 5;
  region.extent[1] = place.extent[1] = 6;
  vd_ticket ticket = 0;
  ASSERT_OK(vd_image_copy(from.image, &region, to.image, &place, 0, nullptr, &ticket));
  for (uint32_t layer = 0; layer < 2; ++layer) {
    for (uint32_t y = 0; y < 6; ++y)
      std::memcpy(to.reference->at(0, 1, y, layer), from.reference->at(0, 3, 2 + y, 1 + layer), 5 * 4);
  }
  EXPECT_EQ(read_level(to.image, *to.reference, 0), to.reference->bytes(0));
  EXPECT_EQ(vd_image_copy(from.image, nullptr, to.image, nullptr, 0, nullptr, nullptr), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("region is 12 x 9 x 3 texels, and to is 7 x 8 x 2"));
  place.offset[0] = region.offset[0] + 1;
  place.layer = 0;
  EXPECT_EQ(vd_image_copy(from.image, &region, from.image, &place, 0, nullptr, nullptr), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("overlap in level 0"));
}

TEST_P(ImageTest, MipLevelsAreMeans) {
  std::vector<vd_format> numbers = {VD_FORMAT_RGBA32_F32, VD_FORMAT_RG16_I16};
  if (!short_form()) numbers.insert(numbers.end(), {VD_FORMAT_R8_UNORM, VD_FORMAT_R32_U32});
  for (const vd_format number : numbers) {
    for (const Form& form : forms()) {
      Made made = make(format_of(number), form, VD_MIP_LEVELS_ALL);
      ImageReference& reference = *made.reference;
      vd_ticket ticket = 0;
      ASSERT_OK(vd_image_generate_mips(made.image, 0, nullptr, &ticket));
      EXPECT_NE(ticket, vd_ticket{0});
      for (uint32_t level = 1; level < reference.levels(); ++level) {
        // From the level before as the library has it, so that errors do not add up.
        const std::vector<std::byte> found = read_level(made.image, reference, level);
        reference.bytes(level) = found;
        for (uint32_t z = 0; z < reference.slices(level); ++z) {
          for (uint32_t y = 0; y < reference.extent(1, level); ++y) {
            for (uint32_t x = 0; x < reference.extent(0, level); ++x) {
              const Texel mean = reference.mean(level, x, y, z), texel = reference.load(level, x, y, z);
              for (uint32_t c = 0; c < reference.format().channels; ++c)
                EXPECT_NEAR(texel[c], mean[c], reference.format().floats() ? 1.0 / 256 : 0.5 + 1e-6)
                    << reference.format().name << " " << form.dimensions << " level " << level << " " << x << " " << y;
            }
          }
        }
        if (HasFailure()) return;
      }
    }
  }
}

// A graph that fills an image, computes its levels, samples it, and copies it; run twice with other contents.
TEST_P(ImageTest, GraphsHoldImages) {
  const Form form{2, {6, 4, 1}, 0};
  Made made = make(format_of(VD_FORMAT_R32_F32), form, 2), copy = make(format_of(VD_FORMAT_R32_F32), form, 2);
  const Plan plan = sample_plan(VD_TYPE_F32, form);
  const Buffer texels = make_buffer(ctx_, 6 * 4 * 4), out = make_buffer(ctx_, 16), back = make_buffer(ctx_, 6 * 4 * 4);
  const Buffer at = make_buffer(ctx_, std::vector<float>{0.5f, 0.5f}), level = make_buffer(ctx_, std::vector<float>{1});
  Graph graph;
  ASSERT_OK(vd_graph_create(ctx_, nullptr, graph.out()));
  vd_node node = 0;
  ASSERT_OK(vd_graph_copy_buffer_to_image(graph, made.image, nullptr, texels, 0, &node));
  EXPECT_EQ(node, 0u);
  ASSERT_OK(vd_graph_generate_mips(graph, made.image, &node));
  EXPECT_EQ(node, 1u);
  const std::vector<vd_binding> bindings = {image_binding(made.image), buffer_binding(at), buffer_binding(level),
                                            buffer_binding(out)};
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
  desc.invocations[0] = 1;
  desc.bindings = bindings.data();
  desc.binding_count = 4;
  ASSERT_OK(vd_graph_launch(graph, plan, &desc, &node));
  ASSERT_OK(vd_graph_copy_image(graph, made.image, nullptr, copy.image, nullptr, &node));
  vd_image_region part = VD_IMAGE_REGION_INIT;
  part.offset[0] = 2;
  ASSERT_OK(vd_graph_copy_image_to_buffer(graph, copy.image, &part, back, 0, &node));
  for (const float first : {1.0f, 100.0f}) {
    std::vector<float> values(6 * 4);
    for (size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<float>(i);
    ASSERT_OK(vd_buffer_write(texels, 0, values.data(), values.size() * 4, 0));
    ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
    EXPECT_FLOAT_EQ(read<float>(out, 4)[0], first + (0 + 1 + 6 + 7) / 4.0f);
    const auto columns = read<float>(back, 4 * 4);
    for (size_t row = 0; row < 4; ++row) {
      for (size_t column = 0; column < 4; ++column)
        EXPECT_EQ(columns[row * 4 + column], first + static_cast<float>(row * 6 + column + 2));
    }
  }
}

// Large images on the host, whose memory costs nothing until it is used.
class LargeImage : public ImageTest {};

// A kernel finds channels whose number of bits does not fit 32 bits.
TEST_P(LargeImage, TexelsPastHalfAGigabyte) {
  for (const vd_format number : {VD_FORMAT_R8_U8, VD_FORMAT_R16_U16}) {
    const uint32_t size = format_of(number).size(), height = 16388 / size;
    vd_image_desc desc = VD_IMAGE_DESC_INIT;
    desc.format = number;
    desc.dimensions = 2;
    desc.extent[0] = 32768;
    desc.extent[1] = height;
    Image image;
    ASSERT_OK(vd_image_create(ctx_, &desc, image.out()));
    const Form form{2, {32768, height, 1}, 0};
    const Plan plan = sample_plan(VD_TYPE_U32, form);
    for (const uint32_t row : {0u, height - 1}) {
      std::vector<std::byte> texels(size_t{32768} * size, static_cast<std::byte>(row == 0 ? 7 : 99));
      vd_image_region region = VD_IMAGE_REGION_INIT;
      region.offset[1] = row;
      region.extent[1] = 1;
      ASSERT_OK(vd_image_write(image, &region, texels.data(), texels.size(), 0));
    }
    const Buffer at = make_buffer(ctx_, std::vector<float>{5, 0, 5, static_cast<float>(height - 1)});
    const Buffer level = make_buffer(ctx_, std::vector<float>{0, 0}), out = make_buffer(ctx_, 32);
    ASSERT_OK(launch(plan, 2, {image_binding(image), buffer_binding(at), buffer_binding(level), buffer_binding(out)}));
    const auto words = read<uint32_t>(out, 8);
    EXPECT_EQ(words[0], size == 1 ? 7u : 0x0707u);
    EXPECT_EQ(words[4], size == 1 ? 99u : 0x6363u);
  }
}

// Work on an image keeps the order of its calls.
TEST_P(ImageTest, WorkIsOrdered) {
  const Form form{2, {64, 64, 1}, 0};
  Made made = make(format_of(VD_FORMAT_R32_F32), form);
  const Plan plan = sample_plan(VD_TYPE_F32, form);
  std::vector<float> at, level(64);
  for (int i = 0; i < 64; ++i) at.insert(at.end(), {static_cast<float>(i), static_cast<float>(63 - i)});
  const Buffer places = make_buffer(ctx_, at), levels = make_buffer(ctx_, level);
  std::vector<Buffer> outs;
  for (int turn = 0; turn < 20; ++turn) {
    const std::vector<float> values(64 * 64, static_cast<float>(turn));
    ASSERT_OK(vd_image_write(made.image, nullptr, values.data(), values.size() * 4, 0));
    outs.push_back(make_buffer(ctx_, 64 * 16));
    ASSERT_OK(launch(
        plan, 64,
        {image_binding(made.image), buffer_binding(places), buffer_binding(levels), buffer_binding(outs.back())}));
  }
  for (int turn = 0; turn < 20; ++turn) {
    const auto found = read<float>(outs[static_cast<size_t>(turn)], 64 * 4);
    for (size_t i = 0; i < 64; ++i) EXPECT_EQ(found[i * 4], static_cast<float>(turn));
  }
}

// Samples see what was written before them: by the host, copies, kernels and mip levels, also by another queue and in a
// graph that runs again.
class ImageWrites : public ImageTest {
 protected:
  static constexpr uint32_t kWidth = 8, kHeight = 6, kCount = kWidth * kHeight;
  static constexpr Form kForm{2, {kWidth, kHeight, 1}, 0};

  void SetUp() override {
    ImageTest::SetUp();
    if (ctx_ == nullptr) return;
    vd_device_info device = VD_DEVICE_INFO_INIT;
    ASSERT_OK(vd_context_get_device(ctx_, 0, &device));
    queues_ = std::min(device.queue_count, 2u);
    ctx_ = shared_context(GetParam(), GetParam() == VD_BACKEND_VULKAN ? VD_CONTEXT_DEBUG : 0, queues_);
    vd_sampler_desc how = VD_SAMPLER_DESC_INIT;
    how.mag_filter = VD_FILTER_LINEAR;
    how.address_mode = VD_ADDRESS_CLAMP_TO_EDGE;
    linear_ = make_sampler(how);
    made_ = make(format_of(VD_FORMAT_R32_F32), kForm, 2, VD_IMAGE_STORAGE);
    sums_ = make_buffer(ctx_, kCount * 16);
    // out[i] = what lies a quarter of a texel beside texel i
    Builder b;
    EXPECT_OK(vd_builder_create(nullptr, b.out()));
    const vd_value image = image_argument(b, "image", VD_TYPE_F32, kForm);
    const vd_value out = vd_argument_buffer(b, vector_type(VD_TYPE_F32, 4), "out"), i = vd_global_id(b, 0);
    const vd_value width = vd_const_u32(b, kWidth), quarter = vd_const_f32(b, 0.25f);
    const vd_value parts[] = {vd_add(b, vd_convert(b, VD_TYPE_F32, vd_rem(b, i, width)), quarter),
                              vd_convert(b, VD_TYPE_F32, vd_div(b, i, width))};
    const vd_value place = vd_emit(b, VD_OP_CONSTRUCT, vector_type(VD_TYPE_F32, 2), parts, 2, 0);
    const vd_value operands[] = {image, place};
    vd_store_at(b, out, i, vd_emit(b, VD_OP_IMAGE_SAMPLE, 0, operands, 2, 0));
    sample_ = plan_of(b);
    // Every texel of the level is the value.
    EXPECT_OK(vd_builder_create(nullptr, b.out()));
    const vd_value to = image_argument(b, "to", VD_TYPE_F32, kForm, VD_ARGUMENT_ACCESS_WRITE, VD_FORMAT_R32_F32);
    const vd_value value = vd_at(b, vd_argument_buffer(b, VD_TYPE_F32, "value"), vd_const_u32(b, 0)),
                   id = vd_global_id(b, 0), row = vd_const_u32(b, kWidth);
    const vd_value at[] = {vd_rem(b, id, row), vd_div(b, id, row)}, four[] = {value, value, value, value};
    vd_image_store(b, to, vd_emit(b, VD_OP_CONSTRUCT, vector_type(VD_TYPE_U32, 2), at, 2, 0),
                   vd_emit(b, VD_OP_CONSTRUCT, vector_type(VD_TYPE_F32, 4), four, 4, 0));
    store_ = plan_of(b);
  }
  void TearDown() override {
    store_ = Plan();
    sample_ = Plan();
    sums_ = Buffer();
    made_ = Made();
    linear_ = Sampler();
    ImageTest::TearDown();
  }

  static vd_launch_desc launch_of(const std::vector<vd_binding>& bindings, uint32_t queue = 0) {
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    desc.invocations[0] = kCount;
    desc.queue = queue;
    desc.bindings = bindings.data();
    desc.binding_count = static_cast<uint32_t>(bindings.size());
    return desc;
  }
  void expect_samples_of(float value, const char* what, uint32_t queue = 0) {
    const std::vector<vd_binding> bindings = {image_binding(made_.image, linear_), buffer_binding(sums_)};
    const vd_launch_desc desc = launch_of(bindings, queue);
    ASSERT_OK(vd_plan_launch(sample_, &desc, nullptr));
    expect_sums(value, what);
  }
  void expect_sums(float value, const char* what) {
    const auto found = read<float>(sums_, kCount * 4);
    for (size_t i = 0; i < kCount; ++i) ASSERT_EQ(found[i * 4], value) << what << ", texel " << i;
  }
  void store(float value, uint32_t queue = 0) {
    const Buffer number = make_buffer(ctx_, std::vector<float>{value});
    const std::vector<vd_binding> bindings = {image_binding(made_.image), buffer_binding(number)};
    const vd_launch_desc desc = launch_of(bindings, queue);
    ASSERT_OK(vd_plan_launch(store_, &desc, nullptr));
  }
  static std::vector<float> texels_of(float value) { return std::vector<float>(kCount, value); }

  uint32_t queues_ = 1;
  Sampler linear_;
  Made made_;
  Buffer sums_;
  Plan sample_, store_;
};

TEST_P(ImageWrites, AreSeenBySamples) {
  const auto first = texels_of(1);
  ASSERT_OK(vd_image_write(made_.image, nullptr, first.data(), kCount * 4, 0));
  expect_samples_of(1, "written by the host");
  expect_samples_of(1, "sampled again");
  store(2);
  expect_samples_of(2, "stored by a kernel");
  const Buffer texels = make_buffer(ctx_, texels_of(3));
  ASSERT_OK(vd_image_copy_from_buffer(made_.image, nullptr, texels, 0, 0, nullptr, nullptr));
  expect_samples_of(3, "copied from a buffer");
  for (const uint32_t column : {0u, 3u}) {  // of columns: not a copy of bytes in a row
    vd_image_region part = VD_IMAGE_REGION_INIT;
    part.offset[0] = column;
    part.extent[0] = column == 0 ? 3 : kWidth - 3;
    const auto data = texels_of(4);
    ASSERT_OK(vd_image_write(made_.image, &part, data.data(), part.extent[0] * kHeight * 4, 0));
  }
  expect_samples_of(4, "written by the host in parts");
  Made other = make(format_of(VD_FORMAT_R32_F32), kForm, 2);
  const auto fifth = texels_of(5);
  ASSERT_OK(vd_image_write(other.image, nullptr, fifth.data(), kCount * 4, 0));
  ASSERT_OK(vd_image_copy(other.image, nullptr, made_.image, nullptr, 0, nullptr, nullptr));
  expect_samples_of(5, "copied from an image");
}

TEST_P(ImageWrites, InMappingsAreSeenBySamples) {
  vd_image_desc desc = VD_IMAGE_DESC_INIT;
  desc.format = VD_FORMAT_R32_F32;
  desc.dimensions = 2;
  desc.extent[0] = kWidth;
  desc.extent[1] = kHeight;
  desc.flags = VD_IMAGE_STORAGE | VD_IMAGE_HOST;
  Image image;
  const vd_status made = vd_image_create(ctx_, &desc, image.out());
  if (made == VD_ERR_UNSUPPORTED) GTEST_SKIP() << vd_last_error();
  ASSERT_OK(made);
  made_.image = std::move(image);
  for (int turn = 1; turn < 4; ++turn) {
    Mapping mapping;
    ASSERT_OK(vd_image_map(made_.image, 0, VD_MAP_WRITE, 0, mapping.out()));
    vd_mapping_info info = VD_MAPPING_INFO_INIT;
    ASSERT_OK(vd_mapping_get_info(mapping, &info));
    const auto row = texels_of(static_cast<float>(turn));
    for (uint32_t y = 0; y < kHeight; ++y)
      std::memcpy(static_cast<std::byte*>(info.data) + y * info.row_pitch, row.data(), kWidth * 4);
    ASSERT_OK(vd_mapping_end(mapping));
    expect_samples_of(static_cast<float>(turn), "in a mapping");
    store(static_cast<float>(-turn));
    expect_samples_of(static_cast<float>(-turn), "by a kernel");
  }
}

TEST_P(ImageWrites, OfOtherQueuesAreSeenBySamples) {
  for (int turn = 0; turn < 10; ++turn) {
    const auto value = static_cast<float>(turn);
    const auto texels = texels_of(value);
    const uint32_t writes = turn % queues_, samples = turn / 2 % queues_;
    if (turn % 3 == 0)
      ASSERT_OK(vd_image_write(made_.image, nullptr, texels.data(), kCount * 4, writes));
    else
      store(value, writes);
    expect_samples_of(value, "by one queue", samples);
    expect_samples_of(value, "by the other", queues_ - 1 - samples);
  }
}

// Two queues sample the image at once: the first of them is not waited for.
TEST_P(ImageWrites, AreSeenOnSeveralQueuesAtOnce) {
  const Buffer other = make_buffer(ctx_, kCount * 16);
  for (int turn = 0; turn < 20; ++turn) {
    const auto value = static_cast<float>(turn);
    store(value, 0);
    const std::vector<vd_binding> one = {image_binding(made_.image, linear_), buffer_binding(sums_)},
                                  two = {image_binding(made_.image, linear_), buffer_binding(other)};
    const vd_launch_desc a = launch_of(one, 0), b = launch_of(two, queues_ - 1);
    ASSERT_OK(vd_plan_launch(sample_, &a, nullptr));
    ASSERT_OK(vd_plan_launch(sample_, &b, nullptr));
    const auto found = read<float>(other, kCount * 4);
    for (size_t i = 0; i < kCount; ++i) ASSERT_EQ(found[i * 4], value) << "texel " << i;
    expect_sums(value, "by the first queue");
  }
}

TEST_P(ImageWrites, OfAGraphAreSeenBySamplesAtEachRun) {
  const Buffer texels = make_buffer(ctx_, kCount * 4), before = make_buffer(ctx_, kCount * 16);
  const Buffer number = make_buffer(ctx_, std::vector<float>{0});
  const std::vector<vd_binding> early = {image_binding(made_.image, linear_), buffer_binding(before)},
                                stored = {image_binding(made_.image), buffer_binding(number)},
                                late = {image_binding(made_.image, linear_), buffer_binding(sums_)};
  Graph graph;
  ASSERT_OK(vd_graph_create(ctx_, nullptr, graph.out()));
  vd_node node = 0;
  ASSERT_OK(vd_graph_copy_buffer_to_image(graph, made_.image, nullptr, texels, 0, &node));
  for (const auto& [plan, bindings] : {std::pair(&sample_, &early), {&store_, &stored}, {&sample_, &late}}) {
    const vd_launch_desc desc = launch_of(*bindings);
    ASSERT_OK(vd_graph_launch(graph, *plan, &desc, &node));
  }
  for (int turn = 1; turn < 5; ++turn) {
    const auto first = static_cast<float>(turn), second = first + 100;
    const auto data = texels_of(first);
    ASSERT_OK(vd_buffer_write(texels, 0, data.data(), kCount * 4, 0));
    ASSERT_OK(vd_buffer_write(number, 0, &second, 4, 0));
    ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
    const auto found = read<float>(before, kCount * 4);
    for (size_t i = 0; i < kCount; ++i) ASSERT_EQ(found[i * 4], first) << "turn " << turn << ", texel " << i;
    expect_sums(second, "after the store");
    // Between runs the host writes, and a launch outside of the graph samples.
    const auto third = texels_of(first + 200);
    ASSERT_OK(vd_image_write(made_.image, nullptr, third.data(), kCount * 4, 0));
    expect_samples_of(first + 200, "between two runs");
  }
}

TEST_P(ImageTest, RefusesWhatItIsNotBoundTo) {
  const Form form{2, {4, 4, 1}, 0};
  const Plan plan = sample_plan(VD_TYPE_F32, form);
  const Buffer at = make_buffer(ctx_, 8), level = make_buffer(ctx_, 4), out = make_buffer(ctx_, 16);
  const auto bind = [&](const vd_binding& binding) {
    return launch(plan, 1, {binding, buffer_binding(at), buffer_binding(level), buffer_binding(out)});
  };
  Made floats = make(format_of(VD_FORMAT_R32_F32), form), integers = make(format_of(VD_FORMAT_R32_U32), form);
  Made line = make(format_of(VD_FORMAT_R32_F32), {1, {4, 1, 1}, 0});
  EXPECT_OK(bind(image_binding(floats.image)));
  EXPECT_EQ(bind(buffer_binding(out)), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("argument 0 (\"image\") of \"kernel\": it is an image, and a buffer"));
  EXPECT_EQ(bind(image_binding(nullptr)), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("it has no image"));
  EXPECT_EQ(bind(image_binding(line.image)), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("the image has 1 dimensions, and the kernel takes 2"));
  EXPECT_EQ(bind(image_binding(integers.image)), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(),
              HasSubstr("the image is of format r32_u32, whose channels are u32, and the kernel samples f32"));
  EXPECT_EQ(bind(image_binding(floats.image, nullptr, 1)), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("level (1) is not 0"));
  vd_image_level_info none = VD_IMAGE_LEVEL_INFO_INIT;
  EXPECT_FAILS(vd_image_get_level(floats.image, 1, &none), VD_ERR_INVALID,
               "vd_image_get_level: level (1) is not below the levels of the image (1).");
  const std::vector<vd_binding> swapped = {image_binding(floats.image), image_binding(floats.image),
                                           buffer_binding(level), buffer_binding(out)};
  EXPECT_EQ(launch(plan, 1, swapped), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("argument 1 (\"at\") of \"kernel\" is a buffer, and an image"));
  ASSERT_OK(vd_image_discard(floats.image));
  EXPECT_EQ(bind(image_binding(floats.image)), VD_ERR_STATE);
  EXPECT_THAT(vd_last_error(), HasSubstr("the image was discarded"));
}

TEST_P(ImageTest, NativeHandlesAreReadyForUse) {
  const std::map<vd_backend, std::vector<const char*>> all{{VD_BACKEND_VULKAN, {"VkImage"}},
                                                           {VD_BACKEND_CUDA, {"CUmipmappedArray", "CUarray"}},
                                                           {VD_BACKEND_OPENCL, {"cl_mem"}},
                                                           {VD_BACKEND_HOST, {"address"}}};
  vd_image_desc desc = VD_IMAGE_DESC_INIT;
  desc.format = VD_FORMAT_R32_U32;
  desc.dimensions = 1;
  desc.extent[0] = 4;
  desc.mip_levels = 2;
  desc.flags = VD_IMAGE_PER_QUEUE;
  Image image;
  ASSERT_OK(vd_image_create(ctx_, &desc, image.out()));
  for (const char* kind : all.at(GetParam())) {
    uint64_t handle = 0, again = 0;
    ASSERT_OK(vd_image_get_native(image, kind, 0, &handle));
    ASSERT_OK(vd_image_get_native(image, kind, 0, &again));
    EXPECT_NE(handle, 0u) << kind;
    EXPECT_EQ(handle, again) << kind;
  }
  // Its contents are the library's as before.
  const uint32_t texels[] = {1, 2, 3, 4};
  ASSERT_OK(vd_image_write(image, nullptr, texels, sizeof(texels), VD_QUEUE_ALL));
  uint32_t got[4] = {};
  ASSERT_OK(vd_image_read(image, nullptr, sizeof(got), 0, got));
  EXPECT_THAT(got, testing::ElementsAreArray(texels));
  uint64_t handle = 7;
  if (GetParam() == VD_BACKEND_HOST) {
    ASSERT_OK(vd_image_get_native(image, "address", 0, &handle));
    EXPECT_EQ(std::memcmp(reinterpret_cast<const void*>(handle), texels, sizeof(texels)), 0);
  }
  EXPECT_EQ(vd_image_get_native(image, "IDirect3D", 0, &handle), VD_ERR_UNSUPPORTED);
  EXPECT_EQ(vd_last_error(), fmt::format("vd_image_get_native: the {} backend has no \"IDirect3D\" for an image.",
                                         api::backend_name({GetParam(), 0})));
  EXPECT_EQ(handle, 0u);
  ASSERT_OK(vd_image_discard(image));
  EXPECT_EQ(vd_image_get_native(image, all.at(GetParam())[0], 0, &handle), VD_ERR_STATE);
}

TEST_P(ImageTest, RefusesDescriptions) {
  vd_image_desc good = VD_IMAGE_DESC_INIT;
  good.format = VD_FORMAT_R32_F32;
  good.dimensions = 2;
  good.extent[0] = good.extent[1] = 8;
  good.label = "photo";
  const auto refuse = [&](auto&& change, const char* text) {
    vd_image_desc desc = good;
    change(desc);
    Image image;
    EXPECT_NE(vd_image_create(ctx_, &desc, image.out()), VD_OK);
    EXPECT_THAT(vd_last_error(), HasSubstr(text));
    EXPECT_EQ(image, nullptr);
  };
  refuse([](vd_image_desc& d) { d.format = VD_FORMAT_NONE; }, "desc->format (0) is not a format of texels");
  refuse([](vd_image_desc& d) { d.format = static_cast<vd_format>(101 + 3); }, "desc->format (104) is not a format");
  refuse([](vd_image_desc& d) { d.dimensions = 4; }, "desc->dimensions (4) is not between 1 and 3");
  refuse([](vd_image_desc& d) { d.extent[0] = 0; }, "desc->extent[0] (0) is not the extent");
  refuse([](vd_image_desc& d) { d.extent[2] = 2; }, "desc->extent[2] (2) is not the extent");
  refuse([](vd_image_desc& d) { d.extent[1] = 1u << 31; }, "desc->extent[1] (2147483648) is more than device");
  refuse([](vd_image_desc& d) { d.layers = 1u << 31; }, "desc->layers (2147483648) is more than device");
  refuse([](vd_image_desc& d) { d.mip_levels = 5; }, "desc->mip_levels (5) is more than an image of 8 x 8 x 1 has (4)");
  refuse([](vd_image_desc& d) { d.flags = 64; }, "desc->flags (0x40) has unknown bits");
  refuse([](vd_image_desc& d) { d.device = 9; }, "desc->device (9) is not below the context's devices");
  refuse([](vd_image_desc& d) { d.dimensions = 3, d.extent[2] = 8, d.layers = 2; }, "desc->layers (2) is not 0");

  Image image;
  ASSERT_OK(vd_image_create(ctx_, &good, image.out()));
  const auto refuse_region = [&](auto&& change, const char* text) {
    vd_image_region region = VD_IMAGE_REGION_INIT;
    change(region);
    std::byte data[256]{};
    EXPECT_EQ(vd_image_write(image, &region, data, 256, 0), VD_ERR_INVALID);
    EXPECT_THAT(vd_last_error(), HasSubstr(text));
    EXPECT_EQ(vd_image_read(image, &region, 256, 0, data), VD_ERR_INVALID);
    EXPECT_THAT(vd_last_error(), HasSubstr(text));
  };
  refuse_region([](vd_image_region& r) { r.level = 1; },
                "region->level (1) is not below the levels of image \"photo\" (1)");
  refuse_region([](vd_image_region& r) { r.offset[1] = 8; }, "region->offset[1] (8) is not below the extent");
  refuse_region([](vd_image_region& r) { r.offset[0] = 1, r.extent[0] = 8; },
                "region->offset[0] (1) + extent[0] (8) is past the edge of level 0 of image \"photo\" (8)");
  refuse_region([](vd_image_region& r) { r.extent[0] = UINT32_MAX; }, "is past the edge");
  refuse_region([](vd_image_region& r) { r.layer = 1; }, "region->layer (1) is not below the layers");
  refuse_region([](vd_image_region& r) { r.layer_count = 2; }, "is past the layers");
  refuse_region([](vd_image_region& r) { r.extent[0] = 4; },
                "size (256) is not that of 4 x 8 x 1 texels of image \"photo\" (128)");
  EXPECT_EQ(vd_image_generate_mips(image, 0, nullptr, nullptr), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("image \"photo\" has one level"));
  const Buffer buffer = make_buffer(ctx_, 300);
  EXPECT_EQ(vd_image_copy_from_buffer(image, nullptr, buffer, 2, 0, nullptr, nullptr), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("source_offset (2) is not a multiple of 4"));
  EXPECT_EQ(vd_image_copy_from_buffer(image, nullptr, buffer, 48, 0, nullptr, nullptr), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("source_offset (48) + size (256) is past the end"));

  const auto refuse_sampler = [&](auto&& change, const char* text) {
    vd_sampler_desc desc = VD_SAMPLER_DESC_INIT;
    change(desc);
    Sampler sampler;
    EXPECT_EQ(vd_sampler_create(ctx_, &desc, sampler.out()), VD_ERR_INVALID);
    EXPECT_THAT(vd_last_error(), HasSubstr(text));
  };
  refuse_sampler([](vd_sampler_desc& d) { d.mag_filter = static_cast<vd_filter>(2); }, "desc->mag_filter (2)");
  refuse_sampler([](vd_sampler_desc& d) { d.address_mode = static_cast<vd_address_mode>(5); },
                 "desc->address_mode (5)");
  refuse_sampler([](vd_sampler_desc& d) { d.mip_lod_bias = NAN; }, "desc->mip_lod_bias (nan) is not a finite number");
  refuse_sampler([](vd_sampler_desc& d) { d.device = 9; }, "desc->device (9) is not below the context's devices");
  refuse_sampler([](vd_sampler_desc& d) { d.min_lod = 2, d.max_lod = 1; },
                 "desc->max_lod (1) is below desc->min_lod (2)");
}

// Another kernel's image: what the builder says.
TEST(ImageArguments, AreChecked) {
  Builder b;
  ASSERT_OK(vd_builder_create(nullptr, b.out()));
  const auto refuse = [&](auto&& change, const char* text) {
    vd_argument_desc desc = VD_ARGUMENT_DESC_INIT;
    desc.kind = VD_ARGUMENT_IMAGE;
    desc.type = VD_TYPE_F32;
    desc.name = "image";
    desc.image_dimensions = 2;
    change(desc);
    vd_value value = 0;
    EXPECT_EQ(vd_builder_argument(b, &desc, &value), VD_ERR_INVALID);
    EXPECT_THAT(vd_last_error(), HasSubstr(text));
  };
  refuse([](vd_argument_desc& d) { d.type = VD_TYPE_F64; }, "is not f32, i32 or u32");
  refuse([](vd_argument_desc& d) { d.image_dimensions = 0; }, "desc->image_dimensions (0) is not between 1 and 3");
  refuse([](vd_argument_desc& d) { d.image_dimensions = 3, d.image_layers = 1; }, "desc->image_layers (1) is not 0");
  refuse([](vd_argument_desc& d) { d.image_format = VD_FORMAT_R32_F32; }, "samples images of any format");
  refuse([](vd_argument_desc& d) { d.image_access = VD_ARGUMENT_ACCESS_READ; },
         "desc->image_format (0) is not a format");
  refuse(
      [](vd_argument_desc& d) {
        d.image_access = VD_ARGUMENT_ACCESS_WRITE;
        d.image_format = VD_FORMAT_R32_U32;
      },
      "desc->type (f32) is not that of desc->image_format (98), which is u32");
}

INSTANTIATE_TEST_SUITE_P(Host, LargeImage, testing::Values(VD_BACKEND_HOST));
INSTANTIATE_TEST_SUITE_P(All, ImageTest, api::each_backend(), api::backend_name);
INSTANTIATE_TEST_SUITE_P(All, ImageWrites, api::each_backend(), api::backend_name);

}  // namespace
}  // namespace api
