// Devices for the tests of the CUDA backend: the emulated driver's (tests/support/emulated_cuda), whose calls can be
// made to fail; opened once for each set of overrides. With VD_TEST_REAL_CUDA set, those of the machine, for the tests
// that need no failure.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/device.h"
#include "support/queue/commands.h"

namespace vd::cuda {

using test::expect_error;
using test::ListBuilder;
using test::whole;

constexpr int kInvalidValue = 1, kIllegalAddress = 700;  // the driver's errors

// The emulated driver's control functions (support/emulated_cuda/control.h); null on a real driver.
struct Control {
  void (*fail)(const char* call, unsigned nth, int code) = nullptr;
  void (*break_next_kernel)(int code) = nullptr;
  uint64_t (*calls)(const char* call) = nullptr;
  uint64_t (*live)() = nullptr;
  uint64_t (*held_back)() = nullptr;
  void (*delay)(unsigned microseconds) = nullptr;
  void (*timer)(uint64_t step, uint64_t fast) = nullptr;
  void (*memory)(uint64_t bytes) = nullptr;
};
const Control& control();

std::shared_ptr<Device> open_fresh(const Overrides& overrides = {}, const std::string& cache_dir = "",
                                   uint32_t queue_count = 1);

class CudaTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  Device& device() { return *device_; }
  backends::Queue& queue() { return device_->queue(0); }
  // From now on work can be timed; waits until the device has nothing to do.
  void prepare_timing() {
    do device().prepare_timing();
    while (!queue().has_clock());
  }
  virtual Overrides overrides() const { return {}; }
  virtual uint32_t queue_count() const { return 1; }

  std::unique_ptr<backends::Memory> memory(uint64_t size, bool host = false);
  std::unique_ptr<backends::Memory> words(const std::vector<uint32_t>& values);
  std::vector<uint32_t> read_words(backends::Memory& memory);
  std::shared_ptr<backends::Module> cuda(const std::string& text, uint32_t buffers, uint32_t values_size = 0,
                                         std::array<uint32_t, 3> workgroup_size = {64, 1, 1});
  std::shared_ptr<backends::Module> kernel(const std::string& text,
                                           std::array<uint32_t, 3> workgroup_size = {64, 1, 1});
  // x[i] = x[i] * a + b over all words of a buffer; the order of two of them matters. Values: count, a, b.
  std::shared_ptr<backends::Module> affine();
  // x[0] = the last of kManyValues values, x[1] = the first: more than fit in a kernel's parameters.
  static constexpr uint32_t kManyValues = 1200;
  std::shared_ptr<backends::Module> many_values();
  // to[i] = to[i] * 3 + from[i]. Values: count.
  std::shared_ptr<backends::Module> accumulate();

  // An image of one dimension and one f32 a texel, which kernels write.
  std::unique_ptr<backends::Image> line(uint32_t width, uint32_t levels = 1);
  // to[i] = 2 * the sample of `from` at i. Bindings: the images from and to.
  std::shared_ptr<backends::Module> doubler();
  // Appends a launch of it.
  void launch_doubler(ListBuilder& work, backends::Module& module, backends::Image& from, backends::Image& to,
                      uint32_t count, const vd_sampler_desc& how = VD_SAMPLER_DESC_INIT);

  std::shared_ptr<Device> device_;

 private:
  std::vector<std::shared_ptr<backends::Sampler>> samplers_;  // of launches
};

// Appends a copy of the texels of boxes.
void copy_boxes(ListBuilder& work, backends::Command::Kind kind, backends::Memory& source,
                backends::Memory& destination, const std::vector<backends::Box>& boxes);

// Tests that make calls fail: each on a device of its own, of which nothing may be left.
class CudaFailure : public CudaTest {
 protected:
  void SetUp() override;
  void TearDown() override;
};

}  // namespace vd::cuda
