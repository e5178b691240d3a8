// Keeps the clock of NVIDIA's devices up while a Vulkan program rests: their driver lets it fall as long as no CUDA
// context exists on the device (Traits::rests_without_cuda), so one is held that does nothing. A thread of its own makes
// and releases the device's primary context, which CUDA counts by its users. No other thread calls CUDA, so none finds
// its current context changed. What fails is said in the log alone.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "vkdispatch.h"

namespace vd::vulkan {

class ClockHold {
 public:
  // A program that ends sooner after its first submission is spared the context, which takes a driver long to make.
  static constexpr std::chrono::milliseconds kDelay{100};

  // For `device`; nothing happens before begin(). `library`: a libcuda for tests; "": the driver's.
  explicit ClockHold(const vd_device_info& device, std::string library = {}, std::chrono::milliseconds delay = kDelay);
  ClockHold(const ClockHold&) = delete;
  ClockHold& operator=(const ClockHold&) = delete;
  // Ends when the context is released. In the child of a fork it leaves everything to the parent.
  ~ClockHold();

  // After the first submission; later calls cost a look at a flag. Any thread.
  void begin() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vd::vulkan
