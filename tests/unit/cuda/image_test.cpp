// Images as the driver's arrays: copies of boxes, textures and surfaces that are made once, graphs that are updated.
#include <gmock/gmock.h>

#include <cstring>

#include "backends/cuda/image.h"
#include "unit/cuda/fixture.h"

namespace vd::cuda {
namespace {

using backends::Box;
using backends::ImageShape;
using testing::ElementsAre;
using Kind = backends::Command::Kind;

class CudaImages : public CudaTest {
 protected:
  std::unique_ptr<backends::Memory> floats(const std::vector<float>& values) {
    auto made = memory(values.size() * 4);
    test::write(queue(), whole(*made), values.data());
    return made;
  }
  std::vector<float> read_floats(backends::Memory& from) {
    std::vector<float> values(from.size() / 4);
    queue().read(whole(from), values.data());
    return values;
  }
  std::unique_ptr<backends::Image> line_of(const std::vector<float>& values) {
    const auto count = static_cast<uint32_t>(values.size());
    auto made = line(count);
    const auto passing = floats(values);
    ListBuilder work;
    copy_boxes(work, Kind::CopyToImage, *passing, *made, {Box{0, {}, {count, 1, 1}}});
    EXPECT_TRUE(queue().wait(queue().submit(work.list), VD_WAIT_FOREVER));
    return made;
  }
  std::vector<float> texels_of(backends::Image& image) {
    const auto count = static_cast<uint32_t>(image.size() / 4);
    const auto passing = memory(image.size());
    ListBuilder work;
    copy_boxes(work, Kind::CopyFromImage, image, *passing, {Box{0, {}, {count, 1, 1}}});
    queue().submit(work.list);
    return read_floats(*passing);
  }
};

// Levels, layers and boxes that are no whole rows; on the stream, and in a graph that runs twice.
TEST_F(CudaImages, BoxesTravelBothWays) {
  ImageShape shape;
  shape.format = VD_FORMAT_RG16_U16;
  shape.dimensions = 2;
  shape.layers = 3;
  shape.extent = {7, 5, 1};
  shape.levels = 2;
  const auto image = device().make_image(shape), other = device().make_image(shape);
  EXPECT_EQ(image->size(), (7 * 5 + 3 * 2) * 3 * 4u);
  const Box box{0, {2, 1, 1}, {4, 3, 2}}, place{0, {3, 2, 0}, {4, 3, 2}}, small{1, {1, 1, 0}, {2, 1, 3}};
  std::vector<uint32_t> values(4 * 3 * 2), few(2 * 3);
  for (uint32_t i = 0; i < values.size(); ++i) values[i] = i * 77777;
  for (uint32_t i = 0; i < few.size(); ++i) few[i] = i * 99991 + 5;
  const auto texels = words(values), back = words(std::vector<uint32_t>(values.size(), 1));
  const auto few_texels = words(few), few_back = words(std::vector<uint32_t>(few.size(), 1));
  ListBuilder work;
  copy_boxes(work.level(0), Kind::CopyToImage, *texels, *image, {box});
  copy_boxes(work.level(0), Kind::CopyToImage, *few_texels, *image, {small});
  copy_boxes(work.level(1), Kind::CopyImage, *image, *other, {box, place});
  copy_boxes(work.level(1), Kind::CopyFromImage, *image, *few_back, {small});
  copy_boxes(work.level(2), Kind::CopyFromImage, *other, *back, {place});
  queue().submit(work.list);
  EXPECT_EQ(read_words(*back), values);
  EXPECT_EQ(read_words(*few_back), few);
  const auto graph = device().make_executable(work.list);
  for (uint32_t turn = 1; turn < 3; ++turn) {
    for (uint32_t& value : values) value += turn;
    test::write(queue(), whole(*texels), values.data());
    queue().submit(*graph, 1);
    EXPECT_EQ(read_words(*back), values);
  }
}

TEST_F(CudaImages, ObjectsAreMadeOnceForEachImageAndSampler) {
  const auto module = doubler();
  const auto from = line_of({1, 2, 3, 4}), to = line(4);
  vd_sampler_desc linear = VD_SAMPLER_DESC_INIT;
  linear.mag_filter = VD_FILTER_LINEAR;
  const auto run = [&](const vd_sampler_desc& how) {
    ListBuilder work;
    launch_doubler(work, *module, *from, *to, 4, how);
    queue().submit(work.list);
    EXPECT_THAT(texels_of(*to), ElementsAre(2, 4, 6, 8));
  };
  run(VD_SAMPLER_DESC_INIT);
  run(linear);
  if (control().calls == nullptr) return;
  const uint64_t textures = control().calls("cuTexObjectCreate"), surfaces = control().calls("cuSurfObjectCreate");
  for (int turn = 0; turn < 3; ++turn) {
    run(VD_SAMPLER_DESC_INIT);
    run(linear);
  }
  EXPECT_EQ(control().calls("cuTexObjectCreate"), textures);
  EXPECT_EQ(control().calls("cuSurfObjectCreate"), surfaces);
}

// Kernels of a graph take other images, and so do copies, for which the instance is made anew.
TEST_F(CudaImages, AGraphIsUpdatedWithOtherImages) {
  const auto module = doubler();
  const auto first = line_of({1, 2, 3, 4}), second = line_of({10, 20, 30, 40}), to = line(4), copy = line(4);
  const Box all{0, {}, {4, 1, 1}};
  const auto list_of = [&](backends::Image& from, backends::Image& copied) {
    ListBuilder work;
    launch_doubler(work.level(0), *module, from, *to, 4);
    copy_boxes(work.level(1), Kind::CopyImage, *to, copied, {all, all});
    return work.list;
  };
  const auto graph = device().make_executable(list_of(*first, *copy));
  queue().submit(*graph, 1);
  EXPECT_THAT(texels_of(*copy), ElementsAre(2, 4, 6, 8));
  EXPECT_TRUE(graph->update(list_of(*second, *copy)));
  queue().submit(*graph, 1);
  EXPECT_THAT(texels_of(*copy), ElementsAre(20, 40, 60, 80));
  const auto instances = [&] { return control().calls != nullptr ? control().calls("cuGraphInstantiate") : 0; };
  const uint64_t made = instances();
  EXPECT_TRUE(graph->update(list_of(*first, *second)));
  queue().submit(*graph, 1);
  EXPECT_THAT(texels_of(*copy), ElementsAre(20, 40, 60, 80));
  EXPECT_THAT(texels_of(*second), ElementsAre(2, 4, 6, 8));
  const uint32_t both[] = {0, 1};
  EXPECT_TRUE(graph->patch(list_of(*second, *copy), both));
  queue().submit(*graph, 2);
  EXPECT_THAT(texels_of(*copy), ElementsAre(4, 8, 12, 16));
  EXPECT_THAT(texels_of(*second), ElementsAre(2, 4, 6, 8));
  // Not for what an instance takes.
  EXPECT_TRUE(graph->update(list_of(*first, *copy)));
  queue().submit(*graph, 1);
  EXPECT_THAT(texels_of(*copy), ElementsAre(2, 4, 6, 8));
  if (control().calls != nullptr) {
    EXPECT_EQ(instances(), made + 2);
  }
}

TEST_F(CudaImages, LimitsAreThoseOfArrays) {
  const vd_device_info& info = device().info();
  EXPECT_TRUE(device().has_images());
  EXPECT_NE(info.features & VD_FEATURE_IMAGES, 0u);
  EXPECT_GE(info.max_image_extent[0], 16384u);
  EXPECT_GE(info.max_image_extent[1], 16384u);
  EXPECT_GE(info.max_image_extent[2], 2048u);
  EXPECT_GE(info.max_image_layers, 2048u);
  const auto image = line(4);
  uint64_t array = 0;
  EXPECT_TRUE(image->native("CUmipmappedArray", array));
  EXPECT_NE(array, 0u);
  EXPECT_FALSE(image->native("CUdeviceptr", array));
}

}  // namespace
}  // namespace vd::cuda
