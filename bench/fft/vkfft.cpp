#include "vkfft.h"

#include <cstdio>
#include <exception>

#include "ours.h"

namespace bench {
namespace {

class Recorded : public Vkfft {
 public:
  Recorded(uint64_t bytes, const Contents& contents) : bytes_(bytes), contents_(contents) {
    vd_context_desc desc = VD_CONTEXT_DESC_INIT;
    desc.backend = VD_BACKEND_VULKAN;
    require(vd_context_create(&desc, &context_), "vd_context_create");
    for (vd_buffer** b : {&source_, &array_}) {
      vd_buffer_desc buffer = VD_BUFFER_DESC_INIT;
      buffer.size = bytes;
      require(vd_buffer_create(context_, &buffer, b), "vd_buffer_create");
    }
    load(Precision::Single);
  }
  ~Recorded() override {
    work_.reset();
    vd_buffer_release(source_);
    vd_buffer_release(array_);
    vd_context_release(context_);
  }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;

  bool prepare(const Case& c) override {
    work_.reset();
    turns_ = 0;
    if (!vkfft_takes(c)) return false;
    if (c.precision != precision_) load(c.precision);
    try {
      Case same = c;
      same.block = same.any = false;
      work_ = std::make_unique<Work>(context_, same, "", true);
      return true;
    } catch (const std::exception& e) {
      return std::fprintf(stderr, "VkFFT on %s: %s\n", c.name.c_str(), e.what()), false;
    }
  }
  void reset() override { copy(context_, source_, array_, bytes_); }
  void run(int iterations) override {
    record(iterations);
    work_->submit();
  }
  void record(int iterations) override {
    if (iterations != turns_) work_->record(array_, nullptr, iterations);
    turns_ = iterations;
  }
  void read(uint64_t offset, uint64_t bytes, void* to) override {
    require(vd_buffer_read(array_, offset, bytes, 0, to), "vd_buffer_read");
  }

 private:
  void load(Precision precision) {
    fill(source_, bytes_, contents_.scaled(precision, kSmall));
    precision_ = precision;
  }

  const uint64_t bytes_;
  const Contents& contents_;
  Precision precision_ = Precision::Single;
  int turns_ = 0;
  vd_context* context_ = nullptr;
  vd_buffer *source_ = nullptr, *array_ = nullptr;
  std::unique_ptr<Work> work_;
};

}  // namespace

std::unique_ptr<Vkfft> Vkfft::open(uint64_t bytes, const Contents& contents) {
  try {
    return std::make_unique<Recorded>(bytes, contents);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "no VkFFT: %s\n", e.what());
    return nullptr;
  }
}

}  // namespace bench
