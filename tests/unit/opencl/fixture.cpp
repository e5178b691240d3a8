#include "unit/opencl/fixture.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

namespace vd::opencl {
namespace {

using Key = std::tuple<bool, bool, uint64_t>;
std::map<Key, std::shared_ptr<Device>> devices;

// Closes them before main() returns, while the driver is whole.
class CloseDevices : public testing::Environment {
 public:
  void TearDown() override { devices.clear(); }
};
[[maybe_unused]] testing::Environment* const kCloseDevices = testing::AddGlobalTestEnvironment(new CloseDevices);

// The first GPU; without one the first device. VD_TEST_OPENCL_DEVICE names another by its index.
Physical test_device(const Api& api) {
  const std::vector<Physical> all = list_devices(api);
  if (const char* wish = std::getenv("VD_TEST_OPENCL_DEVICE")) return all.at(static_cast<size_t>(std::atoi(wish)));
  for (const Physical& physical : all)
    if (physical.info.type == VD_DEVICE_DISCRETE_GPU || physical.info.type == VD_DEVICE_INTEGRATED_GPU) return physical;
  return all.front();
}

}  // namespace

std::shared_ptr<Device> open_fresh(const Overrides& overrides, const std::string& cache_dir, std::string& reason,
                                   uint32_t queue_count, uint32_t language) {
  try {
    backends::DeviceOptions options;
    options.queue_count = queue_count;
    options.cache_dir = cache_dir;
    Physical physical = test_device(overrides.api != nullptr ? *overrides.api : Api::get());
    if (language != 0) physical.opencl_c = language;
    return open_device(std::move(physical), options, overrides);
  } catch (const Error& error) {
    if (error.status() != VD_ERR_UNAVAILABLE) throw;
    reason = error.what();
    return nullptr;
  }
}

void OpenClTest::SetUp() {
  std::string reason;
  const Overrides wishes = overrides();
  auto& device = devices[{wishes.direct_transfers, wishes.command_buffers, wishes.staging_size}];
  if (!device) device = open_fresh(wishes, "", reason);
  device_ = device;
  if (!device_) GTEST_SKIP() << "no OpenCL device: " << reason;
}

std::unique_ptr<backends::Memory> OpenClTest::memory(uint64_t size, bool host, const std::string& label) {
  return device_->make_memory(size, host, label);
}

std::unique_ptr<backends::Memory> OpenClTest::words(const std::vector<uint32_t>& values) {
  auto made = memory(values.size() * 4);
  test::write(queue(), whole(*made), values.data());
  return made;
}

std::vector<uint32_t> OpenClTest::read_words(backends::Memory& from) {
  std::vector<uint32_t> values(from.size() / 4);
  queue().read(whole(from), values.data());
  return values;
}

std::shared_ptr<backends::Module> OpenClTest::source(const std::string& text, uint32_t buffers, uint32_t values_size) {
  backends::SourceText source;
  source.language = VD_LANGUAGE_OPENCL;
  source.text = text;
  source.bindings.assign(buffers, 1);
  source.values_size = values_size;
  backends::ModuleDesc desc;
  desc.source = &source;
  desc.label = "test kernel";
  return device_->make_module(desc);
}

std::shared_ptr<backends::Module> OpenClTest::affine() {
  return source(R"(typedef struct { uint count, a, b; } Values;
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global uint* memory, ulong offset, const Values v) {
  __global uint* x = (__global uint*)((__global uchar*)memory + offset);
  const uint i = get_global_id(0);
  if (i < v.count) x[i] = x[i] * v.a + v.b;
})",
                1, 12);
}

std::shared_ptr<backends::Module> OpenClTest::accumulate() {
  return source(R"(typedef struct { uint count; } Values;
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global uint* to_memory, ulong to_offset, __global const uint* from_memory, ulong from_offset,
                     const Values v) {
  __global uint* to = (__global uint*)((__global uchar*)to_memory + to_offset);
  __global const uint* from = (__global const uint*)((__global const uchar*)from_memory + from_offset);
  const uint i = get_global_id(0);
  if (i < v.count) to[i] = to[i] * 3 + from[i];
})",
                2, 4);
}

}  // namespace vd::opencl
