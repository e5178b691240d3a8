// Semaphores of Vulkan, as CUDA knows them.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "backends/backend.h"
#include "backends/cuda/gpu.h"

namespace vd::cuda {

class SharedSemaphore final : public backends::Semaphore {
 public:
  SharedSemaphore(std::shared_ptr<const Gpu> gpu, const backends::SemaphoreDesc& desc);
  SharedSemaphore(const SharedSemaphore&) = delete;
  SharedSemaphore& operator=(const SharedSemaphore&) = delete;
  ~SharedSemaphore() override;

  bool native(const char* kind, uint64_t& out) const override;
  void force(uint64_t value) override;
  void check(uint64_t value, bool set, const std::string& name) override;
  void claim(uint64_t value, const std::string& name) override;
  void give_back(uint64_t value) noexcept override;

  // Gives a stream the wait, or the setting of a claimed value behind its work. The context is current. The claim of a
  // value that the driver refuses stays.
  void wait_on(CUstream stream, uint64_t value) const;
  void signal_claimed_on(CUstream stream, uint64_t value);

 private:
  void signal_on(CUstream stream, uint64_t value) const;
  void require_above(uint64_t value, uint64_t highest, const std::string& name) const;

  const std::shared_ptr<const Gpu> gpu_;
  const std::string label_;
  CUexternalSemaphore handle_ = nullptr;
  bool owned_ = false;
  std::mutex mutex_;            // of the next two
  uint64_t highest_ = 0;        // value that is set here
  std::set<uint64_t> claimed_;  // values that will be
};

}  // namespace vd::cuda
