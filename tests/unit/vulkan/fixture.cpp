#include "unit/vulkan/fixture.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <tuple>

namespace vd::vulkan {
namespace {

// The layer reads this when the first instance is made. Only with it are hazards between two submits seen.
[[maybe_unused]] const int kLayerSettings = [] {
  return setenv("VK_LAYER_ENABLES", "VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT", 1);
}();

using Key = std::tuple<bool, bool, uint32_t, uint64_t, bool>;
std::map<Key, std::shared_ptr<Device>> devices;

// Closes them before main() returns: the layer's own state is gone by the time of static destructors.
class CloseDevices : public testing::Environment {
 public:
  void TearDown() override { devices.clear(); }
};
[[maybe_unused]] testing::Environment* const kCloseDevices = testing::AddGlobalTestEnvironment(new CloseDevices);

}  // namespace

bool layer_follows_timelines(const Device& device) {
  constexpr uint32_t kFirst = VK_MAKE_API_VERSION(0, 1, 3, 297);
  return device.gpu().physical.instance.layer_version() >= kFirst;
}

std::shared_ptr<Device> open_fresh(const Overrides& overrides, const std::string& cache_dir, std::string& reason,
                                   uint32_t queue_count) {
  try {
    backends::DeviceOptions options;
    options.flags = VD_CONTEXT_DEBUG;
    options.queue_count = queue_count;
    options.cache_dir = cache_dir;
    return open_device(0, options, overrides);
  } catch (const Error& error) {
    if (error.status() != VD_ERR_UNAVAILABLE) throw;
    reason = error.what();
    return nullptr;
  }
}

std::shared_ptr<Device> test_device(const Overrides& overrides, std::string& reason) {
  auto& device = devices[{overrides.map_memory, overrides.push_descriptors, overrides.max_push_constants,
                          overrides.staging_size, overrides.spin}];
  if (!device) device = open_fresh(overrides, "", reason);
  return device;
}

void VulkanTest::SetUp() {
  std::string reason;
  device_ = test_device(overrides(), reason);
  if (!device_) GTEST_SKIP() << "no Vulkan device: " << reason;
  before_ = validation_counts();
}

void VulkanTest::TearDown() {
  if (!device_) return;
  for (uint32_t i = 0; i < device_->queue_count(); ++i) {
    auto& q = device_->queue(i);
    ListBuilder nothing;
    EXPECT_TRUE(q.wait(q.submit(nothing.list), VD_WAIT_FOREVER));
  }
  if (provokes_) return;
  auto after = validation_counts();
  if (const uint64_t races = after.races - before_.races; forgives_races_ && races != 0) {
    after.errors -= races;
    std::printf("%lu reports of races between queues are not held against this test\n",
                static_cast<unsigned long>(races));
  }
  EXPECT_EQ(after.errors, before_.errors) << last_validation_message();
  EXPECT_EQ(after.warnings, before_.warnings) << last_validation_message();
}

std::unique_ptr<backends::Memory> VulkanTest::memory(uint64_t size, bool host, const std::string& label) {
  return device_->make_memory(size, host, label);
}

std::unique_ptr<backends::Memory> VulkanTest::words(const std::vector<uint32_t>& values) {
  auto made = memory(values.size() * 4);
  test::write(queue(), whole(*made), values.data());
  return made;
}

std::vector<uint32_t> VulkanTest::read_words(backends::Memory& from) {
  std::vector<uint32_t> values(from.size() / 4);
  queue().read(whole(from), values.data());
  return values;
}

std::shared_ptr<backends::Module> VulkanTest::glsl(const std::string& text, uint32_t buffers, uint32_t values_size) {
  backends::SourceText source;
  source.language = VD_LANGUAGE_GLSL;
  source.text = text;
  source.bindings.assign(buffers, 1);
  source.values_size = values_size;
  backends::ModuleDesc desc;
  desc.source = &source;
  desc.label = "test kernel";
  return device_->make_module(desc);
}

std::shared_ptr<backends::Module> VulkanTest::affine() {
  return glsl(R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer X { uint x[]; };
layout(push_constant) uniform Values { uint count, a, b; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count) x[i] = x[i] * a + b;
})",
              1, 12);
}

std::shared_ptr<backends::Module> VulkanTest::accumulate() {
  return glsl(R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer To { uint to[]; };
layout(set = 0, binding = 1) readonly buffer From { uint from[]; };
layout(push_constant) uniform Values { uint count; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count) to[i] = to[i] * 3u + from[i];
})",
              2, 4);
}

}  // namespace vd::vulkan
