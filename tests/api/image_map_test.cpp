// Images that the host uses where they are, on every backend: rows and their gaps, what kernels and the host see of each
// other, the order with other work, and what is refused.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <random>
#include <thread>

#include "api/shared_context.h"
#include "api/support.h"
#include "api/validation_log.h"
#include "support/image_reference.h"
#include "vkdispatch_build.h"

namespace api {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using vd::test::all_formats;
using vd::test::Format;

constexpr uint32_t kWidth = 13, kHeight = 6, kCount = kWidth * kHeight;
constexpr vd_type kPlace = VD_TYPE_U32 | 0x100 | 2 << 12;
constexpr vd_type kTexel = VD_TYPE_U32 | 0x100 | 4 << 12;

class ImageMapTest : public testing::TestWithParam<vd_backend> {
 protected:
  void SetUp() override {
    ctx_ = shared_context(GetParam(), GetParam() == VD_BACKEND_VULKAN ? VD_CONTEXT_DEBUG : 0);
    if (ctx_ == nullptr) GTEST_SKIP() << vd_last_error();
  }
  void TearDown() override { EXPECT_EQ(validation_.text(), ""); }

  static vd_image_desc image_desc(uint32_t dimensions, std::array<uint32_t, 3> extent, uint32_t layers = 0) {
    vd_image_desc desc = VD_IMAGE_DESC_INIT;
    desc.format = VD_FORMAT_R32_U32;
    desc.dimensions = dimensions;
    std::ranges::copy(extent, desc.extent);
    desc.layers = layers;
    desc.flags = VD_IMAGE_STORAGE | VD_IMAGE_HOST;
    return desc;
  }
  // Null where the device has no such image, which the message says.
  Image make(const vd_image_desc& desc) {
    Image image;
    const vd_status status = vd_image_create(ctx_, &desc, image.out());
    if (status == VD_OK) return image;
    EXPECT_EQ(status, VD_ERR_UNSUPPORTED) << vd_last_error();
    if (GetParam() == VD_BACKEND_CUDA) {
      EXPECT_THAT(vd_last_error(), HasSubstr("CUDA keeps images in arrays"));
    } else {
      EXPECT_THAT(vd_last_error(), AnyOf(HasSubstr("in memory that the host reaches"), HasSubstr("vmaCreateImage")));
    }
    EXPECT_TRUE(GetParam() == VD_BACKEND_CUDA || GetParam() == VD_BACKEND_VULKAN) << vd_last_error();
    return image;
  }
  // Whether the device must have such images: Vulkan leaves that to a GPU's driver.
  bool must_have_rows() {
    vd_device_info info = VD_DEVICE_INFO_INIT;
    EXPECT_OK(vd_context_get_device(ctx_, 0, &info));
    return GetParam() != VD_BACKEND_CUDA && (GetParam() != VD_BACKEND_VULKAN || info.type == VD_DEVICE_CPU);
  }
  // Whether the host reaches images without VD_IMAGE_HOST, too.
  bool reaches_all() {
    vd_device_info info = VD_DEVICE_INFO_INIT;
    EXPECT_OK(vd_context_get_device(ctx_, 0, &info));
    return GetParam() == VD_BACKEND_HOST ||
           (GetParam() == VD_BACKEND_OPENCL && (info.features & VD_FEATURE_UNIFIED_MEMORY) != 0);
  }
  // The image of most tests; a test without it is skipped.
  Image make_plane() {
    Image image = make(image_desc(2, {kWidth, kHeight, 1}));
    if (must_have_rows()) {
      EXPECT_NE(image, nullptr) << vd_last_error();
    }
    return image;
  }
  Mapping map(vd_image* image, vd_map_flags flags, uint32_t level = 0) {
    Mapping mapping;
    EXPECT_OK(vd_image_map(image, level, flags, 0, mapping.out()));
    return mapping;
  }
  static vd_mapping_info info_of(vd_mapping* mapping) {
    vd_mapping_info info = VD_MAPPING_INFO_INIT;
    EXPECT_OK(vd_mapping_get_info(mapping, &info));
    return info;
  }
  static uint32_t* texel(const vd_mapping_info& info, uint32_t x, uint32_t y) {
    return reinterpret_cast<uint32_t*>(static_cast<std::byte*>(info.data) + y * info.row_pitch + x * 4);
  }
  static void fill(const vd_mapping_info& info, uint32_t first) {
    for (uint32_t i = 0; i < kCount; ++i) *texel(info, i % kWidth, i / kWidth) = first + i;
  }
  static std::vector<uint32_t> texels(const vd_mapping_info& info) {
    std::vector<uint32_t> found;
    for (uint32_t i = 0; i < kCount; ++i) found.push_back(*texel(info, i % kWidth, i / kWidth));
    return found;
  }
  static std::vector<uint32_t> numbers(uint32_t first) {
    std::vector<uint32_t> wanted(kCount);
    for (uint32_t i = 0; i < kCount; ++i) wanted[i] = first + i;
    return wanted;
  }

  // Adds 1000 to each texel, or (`load`) copies each to a buffer.
  Plan plane_plan(bool load) {
    Builder b;
    EXPECT_OK(vd_builder_create(nullptr, b.out()));
    vd_argument_desc desc = VD_ARGUMENT_DESC_INIT;
    desc.kind = VD_ARGUMENT_IMAGE;
    desc.type = VD_TYPE_U32;
    desc.name = "image";
    desc.image_dimensions = 2;
    desc.image_access = load ? VD_ARGUMENT_ACCESS_READ : VD_ARGUMENT_ACCESS_READ | VD_ARGUMENT_ACCESS_WRITE;
    desc.image_format = VD_FORMAT_R32_U32;
    vd_value image = 0;
    EXPECT_OK(vd_builder_argument(b, &desc, &image));
    const vd_value out = load ? vd_argument_buffer(b, VD_TYPE_U32, "out") : 0, i = vd_global_id(b, 0);
    const vd_value at[] = {vd_rem(b, i, vd_const_u32(b, kWidth)), vd_div(b, i, vd_const_u32(b, kWidth))};
    const vd_value place = vd_emit(b, VD_OP_CONSTRUCT, kPlace, at, 2, 0);
    const vd_value old = vd_component(b, vd_image_load(b, image, place, 0), 0);
    if (load) {
      vd_store_at(b, out, i, old);
    } else {
      const vd_value sum = vd_add(b, old, vd_const_u32(b, 1000));
      const vd_value parts[] = {sum, sum, sum, sum};
      vd_image_store(b, image, place, vd_emit(b, VD_OP_CONSTRUCT, kTexel, parts, 4, 0));
    }
    Kernel kernel;
    EXPECT_OK(vd_builder_finish(b, kernel.out()));
    return make_plan(ctx_, kernel);
  }
  // `buffer`: of a plan that loads.
  static vd_launch_desc launch_of(vd_binding (&bindings)[2], vd_image* image, vd_buffer* buffer = nullptr) {
    bindings[0] = vd_binding{};
    bindings[0].image = image;
    if (buffer != nullptr) bindings[1] = VD_BINDING_OF(buffer, 0, VD_WHOLE_SIZE);
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    desc.invocations[0] = kCount;
    desc.bindings = bindings;
    desc.binding_count = buffer != nullptr ? 2 : 1;
    return desc;
  }
  static vd_status launch(vd_plan* plan, vd_image* image, vd_buffer* buffer = nullptr, vd_ticket* ticket = nullptr) {
    vd_binding bindings[2];
    const vd_launch_desc desc = launch_of(bindings, image, buffer);
    return vd_plan_launch(plan, &desc, ticket);
  }

  ValidationLog validation_;
  Context ctx_;
};

TEST_P(ImageMapTest, RowsOfEveryFormatAndForm) {
  const vd_image_desc forms[] = {image_desc(1, {13, 1, 1}), image_desc(1, {7, 1, 1}, 3), image_desc(2, {13, 6, 1}),
                                 image_desc(2, {1, 5, 1}),  image_desc(2, {5, 7, 1}, 4), image_desc(3, {5, 6, 7})};
  std::mt19937 random(7);
  uint32_t made = 0;
  for (const Format& format : all_formats()) {
    for (vd_image_desc desc : forms) {
      desc.format = format.number;
      const Image image = make(desc);
      if (image == nullptr) continue;
      ++made;
      const uint64_t row = uint64_t{desc.extent[0]} * format.size(), rows = std::max(desc.extent[1], 1u);
      const uint64_t slices = desc.layers != 0 ? desc.layers : std::max(desc.extent[2], 1u);
      std::vector<std::byte> wanted(row * rows * slices), found(wanted.size());
      for (std::byte& byte : wanted) byte = static_cast<std::byte>(random() % 0x3c);  // no float that is not a number
      Mapping mapping = map(image, VD_MAP_WRITE);
      ASSERT_NE(mapping, nullptr);
      vd_mapping_info info = info_of(mapping);
      EXPECT_GE(info.row_pitch, row);
      EXPECT_GE(info.slice_pitch, info.row_pitch * (rows - 1) + row);
      EXPECT_EQ(info.size, (slices - 1) * info.slice_pitch + (rows - 1) * info.row_pitch + row);
      const auto each_row = [&](auto&& give) {
        for (uint64_t z = 0; z < slices; ++z)
          for (uint64_t y = 0; y < rows; ++y)
            give(static_cast<std::byte*>(info.data) + z * info.slice_pitch + y * info.row_pitch, (z * rows + y) * row);
      };
      each_row([&](std::byte* mapped, uint64_t at) { std::memcpy(mapped, wanted.data() + at, row); });
      ASSERT_OK(vd_mapping_end(mapping));
      ASSERT_OK(vd_image_read(image, nullptr, found.size(), 0, found.data()));
      EXPECT_EQ(found, wanted) << format.name << " of " << desc.dimensions << " dimensions, written where it is";
      for (std::byte& byte : wanted) byte = static_cast<std::byte>(random() % 0x3c);
      ASSERT_OK(vd_image_write(image, nullptr, wanted.data(), wanted.size(), 0));
      mapping = map(image, VD_MAP_READ);
      info = info_of(mapping);
      each_row([&](std::byte* mapped, uint64_t at) { std::memcpy(found.data() + at, mapped, row); });
      EXPECT_EQ(found, wanted) << format.name << " of " << desc.dimensions << " dimensions, read where it is";
    }
  }
  if (must_have_rows()) {
    EXPECT_GT(made, 0u);
  }
  if (GetParam() == VD_BACKEND_HOST || GetParam() == VD_BACKEND_OPENCL) {
    EXPECT_EQ(made, all_formats().size() * std::size(forms));
  }
}

TEST_P(ImageMapTest, HostAndKernelsSeeEachOther) {
  const Image image = make_plane();
  if (image == nullptr) GTEST_SKIP() << "no image that the host reaches";
  const Plan add = plane_plan(false), load = plane_plan(true);
  const Buffer out = make_buffer(ctx_, kCount * 4);
  for (uint32_t turn = 1; turn < 4; ++turn) {
    {
      const Mapping mapping = map(image, VD_MAP_WRITE);  // which its release ends
      fill(info_of(mapping), turn);
    }
    ASSERT_OK(launch(load, image, out));
    EXPECT_EQ(read<uint32_t>(out, kCount), numbers(turn));
    ASSERT_OK(launch(add, image));
    const Mapping mapping = map(image, VD_MAP_READ);  // waits
    EXPECT_EQ(texels(info_of(mapping)), numbers(1000 + turn));
  }
  // Copies, too.
  const Image other = make_plane();
  ASSERT_OK(vd_image_copy(image, nullptr, other, nullptr, 0, nullptr, nullptr));
  EXPECT_EQ(texels(info_of(map(other, VD_MAP_READ))), numbers(1003));
  const Buffer from = make_buffer(ctx_, numbers(5));
  ASSERT_OK(vd_image_copy_from_buffer(other, nullptr, from, 0, 0, nullptr, nullptr));
  EXPECT_EQ(texels(info_of(map(other, VD_MAP_READ))), numbers(5));
}

TEST_P(ImageMapTest, WorkKeepsFromWhatIsMapped) {
  const Image image = make_plane();
  if (image == nullptr) GTEST_SKIP() << "no image that the host reaches";
  const Plan add = plane_plan(false), load = plane_plan(true);
  const Buffer out = make_buffer(ctx_, kCount * 4);
  Mapping mapping = map(image, VD_MAP_WRITE), second;
  fill(info_of(mapping), 1);
  EXPECT_EQ(launch(load, image, out), VD_ERR_STATE);
  EXPECT_EQ(launch(add, image), VD_ERR_STATE);
  EXPECT_EQ(vd_image_map(image, 0, VD_MAP_READ, 0, second.out()), VD_ERR_STATE);
  ASSERT_OK(vd_mapping_end(mapping));
  mapping = map(image, VD_MAP_READ);
  EXPECT_OK(launch(load, image, out));
  EXPECT_EQ(launch(add, image), VD_ERR_STATE);
  EXPECT_OK(vd_image_map(image, 0, VD_MAP_READ, 0, second.out()));
  EXPECT_EQ(vd_image_map(image, 0, VD_MAP_WRITE, 0, second.out()), VD_ERR_STATE);
  ASSERT_OK(vd_mapping_end(mapping));
  EXPECT_OK(launch(add, image));
  EXPECT_EQ(texels(info_of(map(image, VD_MAP_READ))), numbers(1001));
  EXPECT_EQ(read<uint32_t>(out, kCount), numbers(1));
}

// A recorded graph finds what the host wrote before each submission, and the host what the graph wrote after each wait.
TEST_P(ImageMapTest, SharedMappingsAreInNobodysWay) {
  const Image image = make_plane();
  if (image == nullptr) GTEST_SKIP() << "no image that the host reaches";
  const Plan add = plane_plan(false);
  Mapping mapping;
  const vd_status status = vd_image_map(image, 0, VD_MAP_READ | VD_MAP_WRITE | VD_MAP_SHARED, 0, mapping.out());
  if (status == VD_ERR_UNSUPPORTED && GetParam() == VD_BACKEND_OPENCL) GTEST_SKIP() << vd_last_error();
  ASSERT_OK(status);
  const vd_mapping_info info = info_of(mapping);
  Graph graph;
  ASSERT_OK(vd_graph_create(ctx_, nullptr, graph.out()));
  vd_binding bindings[2];
  const vd_launch_desc desc = launch_of(bindings, image);
  for (int i = 0; i < 2; ++i) ASSERT_OK(vd_graph_launch(graph, add, &desc, nullptr));
  vd_submit_desc thrice = VD_SUBMIT_DESC_INIT;
  thrice.repeat = 3;
  for (uint32_t turn = 0; turn < 5; ++turn) {
    fill(info, turn);
    vd_ticket ticket = 0;
    ASSERT_OK(vd_graph_submit(graph, &thrice, &ticket));
    ASSERT_OK(vd_ticket_wait(ctx_, ticket, VD_WAIT_FOREVER));
    EXPECT_EQ(texels(info), numbers(6000 + turn));
  }
  // The memory stays as long as the mapping.
  ASSERT_OK(vd_image_discard(image));
  fill(info, 77);
  EXPECT_EQ(texels(info), numbers(77));
  Mapping late;
  EXPECT_EQ(vd_image_map(image, 0, VD_MAP_READ, 0, late.out()), VD_ERR_STATE);
  EXPECT_THAT(vd_last_error(), HasSubstr("the image was discarded"));
}

TEST_P(ImageMapTest, LevelsAreMappedByThemselves) {
  vd_image_desc desc = image_desc(2, {12, 6, 1});
  desc.mip_levels = 2;
  const Image image = make(desc);
  if (image == nullptr) GTEST_SKIP() << vd_last_error();
  std::vector<uint32_t> wanted(6 * 3);
  vd_image_region region = VD_IMAGE_REGION_INIT;
  region.level = 1;
  for (uint32_t i = 0; i < 18; ++i) wanted[i] = 100 + i;
  ASSERT_OK(vd_image_write(image, &region, wanted.data(), 72, 0));
  const Mapping mapping = map(image, VD_MAP_READ, 1), first = map(image, VD_MAP_WRITE, 0);
  const vd_mapping_info info = info_of(mapping);
  for (uint32_t i = 0; i < 18; ++i) EXPECT_EQ(*texel(info, i % 6, i / 6), 100 + i);
}

TEST_P(ImageMapTest, SupportIsWhatCreateAndMapDo) {
  std::vector<vd_image_desc> forms = {image_desc(1, {13, 1, 1}), image_desc(2, {13, 6, 1}), image_desc(2, {5, 7, 1}, 4),
                                      image_desc(3, {5, 6, 7})};
  vd_image_desc levels = image_desc(2, {12, 6, 1});
  levels.mip_levels = VD_MIP_LEVELS_ALL;
  forms.push_back(levels);
  uint32_t mappable = 0, without_host = 0;
  for (const Format& format : all_formats()) {
    for (vd_image_desc desc : forms) {
      for (const vd_image_flags flags :
           {vd_image_flags{0}, vd_image_flags{VD_IMAGE_HOST}, vd_image_flags{VD_IMAGE_STORAGE | VD_IMAGE_HOST},
            vd_image_flags{VD_IMAGE_PER_QUEUE | VD_IMAGE_HOST}}) {
        desc.format = format.number;
        desc.flags = flags;
        SCOPED_TRACE(testing::Message() << format.name << " of " << desc.dimensions << " dimensions, " << desc.layers
                                        << " layers, " << desc.mip_levels << " levels, flags " << flags);
        vd_image_support_info support = VD_IMAGE_SUPPORT_INFO_INIT;
        ASSERT_OK(vd_context_get_image_support(ctx_, &desc, &support));
        Image image;
        const vd_status created = vd_image_create(ctx_, &desc, image.out());
        EXPECT_EQ(support.supported, created == VD_OK ? 1u : 0u) << vd_last_error();
        if (created != VD_OK) {
          EXPECT_EQ(support.mappable, 0u);
          continue;
        }
        Mapping mapping;
        const vd_status mapped = vd_image_map(image, 0, VD_MAP_READ, 0, mapping.out());
        EXPECT_EQ(support.mappable, mapped == VD_OK ? 1u : 0u) << vd_last_error();
        vd_image_info info = VD_IMAGE_INFO_INIT;
        ASSERT_OK(vd_image_get_info(image, &info));
        EXPECT_EQ(info.mappable, support.mappable);
        ASSERT_OK(vd_image_discard(image));
        ASSERT_OK(vd_image_get_info(image, &info));
        EXPECT_EQ(info.mappable, 0u);
        mappable += support.mappable;
        without_host += flags == 0 ? support.mappable : 0;
      }
    }
  }
  EXPECT_EQ(without_host, reaches_all() ? all_formats().size() * forms.size() : 0);
  if (must_have_rows()) {
    EXPECT_GT(mappable, 0u);
  }
}

TEST_P(ImageMapTest, SupportRefusesWhatCreateCallsInvalid) {
  vd_image_support_info support = VD_IMAGE_SUPPORT_INFO_INIT;
  vd_image_desc desc = image_desc(2, {4, 4, 1});
  desc.mip_levels = 4;
  EXPECT_FAILS(vd_context_get_image_support(ctx_, &desc, &support), VD_ERR_INVALID,
               "vd_context_get_image_support: desc->mip_levels (4) is more than an image of 4 x 4 x 1 has (3).");
  desc = image_desc(2, {4, 4, 1});
  desc.device = 99;
  EXPECT_EQ(vd_context_get_image_support(ctx_, &desc, &support), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("desc->device (99)"));
}

TEST_P(ImageMapTest, Refuses) {
  vd_image_desc desc = image_desc(2, {4, 4, 1});
  desc.flags = 0;
  desc.label = "plane";
  Image image;
  ASSERT_OK(vd_image_create(ctx_, &desc, image.out()));
  Mapping mapping;
  EXPECT_FAILS(vd_image_map(image, 1, VD_MAP_READ, 0, mapping.out()), VD_ERR_INVALID,
               "vd_image_map: level (1) is not below the levels of image \"plane\" (1).");
  EXPECT_FAILS(vd_image_map(image, 0, VD_MAP_NO_WAIT, 0, mapping.out()), VD_ERR_INVALID,
               "vd_image_map: flags (0x4) have neither VD_MAP_READ nor VD_MAP_WRITE.");
  EXPECT_EQ(vd_image_map(image, 0, 64, 0, mapping.out()), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("flags (0x40) has unknown bits"));
  EXPECT_EQ(vd_image_map(image, 0, VD_MAP_READ, 99, mapping.out()), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("queue (99)"));
  if (reaches_all()) {
    EXPECT_OK(vd_image_map(image, 0, VD_MAP_READ, 0, mapping.out()));
  } else {
    EXPECT_EQ(vd_image_map(image, 0, VD_MAP_READ, 0, mapping.out()), VD_ERR_UNSUPPORTED);
    EXPECT_THAT(vd_last_error(), HasSubstr("image \"plane\" is in device memory, which the host does not reach"));
    EXPECT_THAT(
        vd_last_error(),
        HasSubstr("VD_IMAGE_HOST makes memory that it reaches, where vd_context_get_image_support() reports mappable"));
  }
}

TEST_P(ImageMapTest, ThreadsReadTheSameTexels) {
  const Image image = make_plane();
  if (image == nullptr) GTEST_SKIP() << "no image that the host reaches";
  fill(info_of(map(image, VD_MAP_WRITE)), 5);
  const auto read = [&] {
    for (int turn = 0; turn < 4000; ++turn) {
      const Mapping mapping = map(image, VD_MAP_READ);
      ASSERT_NE(mapping, nullptr);
      ASSERT_EQ(*texel(info_of(mapping), 3, 2), 5 + 2 * kWidth + 3);
      if (turn % 2 == 0) {
        ASSERT_OK(vd_mapping_end(mapping));
      }
    }
  };
  std::array<std::thread, 3> threads;
  for (std::thread& thread : threads) thread = std::thread(read);
  for (std::thread& thread : threads) thread.join();
}

TEST_P(ImageMapTest, ThreadsMapWhatAnotherDiscards) {
  for (int turn = 0; turn < 150; ++turn) {
    const Image image = make_plane();
    if (image == nullptr) GTEST_SKIP() << "no image that the host reaches";
    std::atomic<bool> began = false;
    std::thread mapper([&] {
      vd_status status = VD_OK;
      while (status == VD_OK) {
        Mapping mapping;
        status = vd_image_map(image, 0, VD_MAP_READ, 0, mapping.out());
        began = true;
      }
      EXPECT_EQ(status, VD_ERR_STATE) << vd_last_error();
    });
    while (!began) std::this_thread::yield();
    EXPECT_OK(vd_image_discard(image));
    mapper.join();
  }
}

INSTANTIATE_TEST_SUITE_P(All, ImageMapTest, each_backend(), backend_name);

}  // namespace
}  // namespace api
