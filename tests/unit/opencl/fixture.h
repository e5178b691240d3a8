// Devices for the tests of the OpenCL backend, opened once for each set of overrides. Without an OpenCL device the
// tests are skipped with the reason.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/opencl/device.h"
#include "support/queue/commands.h"
#include "support/scratch_folder.h"

namespace vd::opencl {

using test::expect_error;
using test::ListBuilder;
using test::ScratchFolder;
using test::whole;

// The real driver's entry points, for tests that replace some of them; each such test sets it.
inline const Api* real = nullptr;

// A device of the caller's own; null with `reason` where there is none. Kernels are built as OpenCL C of `language`
// (102, 300); 0: as the device says.
std::shared_ptr<Device> open_fresh(const Overrides& overrides, const std::string& cache_dir, std::string& reason,
                                   uint32_t queue_count = 1, uint32_t language = 0);

class OpenClTest : public testing::Test {
 protected:
  void SetUp() override;

  Device& device() { return *device_; }
  backends::Queue& queue() { return device_->queue(0); }
  virtual Overrides overrides() const { return {}; }

  std::unique_ptr<backends::Memory> memory(uint64_t size, bool host = false, const std::string& label = "test");
  std::unique_ptr<backends::Memory> words(const std::vector<uint32_t>& values);
  std::vector<uint32_t> read_words(backends::Memory& memory);
  std::shared_ptr<backends::Module> source(const std::string& text, uint32_t buffers, uint32_t values_size = 0);
  // x[i] = x[i] * a + b over all words of a buffer; the order of two of them matters. Values: count, a, b.
  std::shared_ptr<backends::Module> affine();
  // to[i] = to[i] * 3 + from[i]. Values: count.
  std::shared_ptr<backends::Module> accumulate();

  std::shared_ptr<Device> device_;
};

}  // namespace vd::opencl
