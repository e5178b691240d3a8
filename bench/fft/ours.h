// Transforms of this library through its C API, to be measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cases.h"
#include "vkdispatch.h"

namespace bench {

void require(vd_status status, const char* what);
// Fills a buffer of `bytes` bytes by repeating `block`.
void fill(vd_buffer* buffer, uint64_t bytes, std::span<const std::byte> block);
// Copies, and waits.
void copy(vd_context* context, vd_buffer* from, vd_buffer* to, uint64_t bytes);

// The plans of a case, and a graph that runs them several times.
class Work {
 public:
  // `tune` goes to VKDISPATCH_FFT_TUNE while the plans are made. With `vkfft`, VkFFT makes them, and nothing is divided.
  Work(vd_context* context, const Case& c, const std::string& tune, bool vkfft = false);
  ~Work();
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  void record(vd_buffer* data, vd_buffer* kernel, int turns);
  void submit() const;  // and wait
  std::string explain() const;
  uint32_t registers() const;  // once they are known: of some devices' code after explain()
  double build_seconds = 0;

 private:
  // The plans that put a filter in natural order into the order that a convolution asks for.
  void add_filter_plans();
  vd_buffer* ordered(vd_buffer* kernel);
  void release();

  vd_context* context_;
  Case case_;
  std::vector<vd_plan*> plans_;
  uint32_t workgroups_[3] = {};  // of a kernel that does not know its size
  std::vector<bool> takes_kernel_;
  vd_graph* graph_ = nullptr;
  std::vector<vd_plan*> filter_plans_;
  vd_buffer* filter_ = nullptr;
};

}  // namespace bench
