// Devices for the tests of the Vulkan backend: opened in debug mode, once for each set of overrides, so that any
// message of the validation layer fails the test that caused it. Without a Vulkan device the tests are skipped with the
// reason.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/vulkan/debug.h"
#include "backends/vulkan/device.h"
#include "support/queue/commands.h"

namespace vd::vulkan {

using test::expect_error;
using test::ListBuilder;
using test::whole;

// A device, kept until the process ends; null with `reason` where there is none.
std::shared_ptr<Device> test_device(const Overrides& overrides, std::string& reason);
// Whether the validation layer takes a wait for a timeline semaphore as order between queues. An older one takes it for a
// race, which it counts as an error.
bool layer_follows_timelines(const Device& device);

std::shared_ptr<Device> open_fresh(const Overrides& overrides, const std::string& cache_dir, std::string& reason,
                                   uint32_t queue_count = 1);

class VulkanTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  Device& device() { return *device_; }
  backends::Queue& queue() { return device_->queue(0); }
  virtual Overrides overrides() const { return {}; }

  std::unique_ptr<backends::Memory> memory(uint64_t size, bool host = false, const std::string& label = "test");
  std::unique_ptr<backends::Memory> words(const std::vector<uint32_t>& values);
  std::vector<uint32_t> read_words(backends::Memory& memory);
  std::shared_ptr<backends::Module> glsl(const std::string& text, uint32_t buffers, uint32_t values_size = 0);
  // x[i] = x[i] * a + b over all words of a buffer; the order of two of them matters. Values: count, a, b.
  std::shared_ptr<backends::Module> affine();
  // to[i] += from[i]. Values: count.
  std::shared_ptr<backends::Module> accumulate();

  std::shared_ptr<Device> device_;
  bool forgives_races_ = false;  // reports of races between queues are counted and printed, and do not fail the test
  bool provokes_ = false;        // the test wants messages

 private:
  ValidationCounts before_;
};

}  // namespace vd::vulkan
