// Device memory of the host backend: bytes of this process. In a checked context a shadow says of each byte whether
// anything was written to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"

namespace vd::host {

class Memory final : public backends::Memory {
 public:
  Memory(uint64_t size, bool checked, std::string label);

  uint64_t size() const override { return size_; }
  // A checked memory is written by commands only, so that its shadow stays true.
  void* host_pointer() override { return written_.empty() ? bytes_.get() : nullptr; }
  bool native(const char* kind, uint64_t& out) const override;

  std::byte* data() { return bytes_.get(); }
  const std::string& label() const { return label_; }

  bool checked() const { return !written_.empty(); }
  bool is_written(uint64_t offset) const { return (written_[offset / 8] >> (offset % 8) & 1) != 0; }
  void mark_written(uint64_t offset, uint64_t size);
  void copy_marks(const Memory& from, uint64_t from_offset, uint64_t offset, uint64_t size);

  // Bytes that kernels of a checked context read and wrote since watch() was called, each counted once.
  struct Touched {
    uint64_t read = 0, written = 0;
  };
  void watch();
  Touched touched() const;
  void mark_touched(uint64_t offset, uint64_t size, bool write);

 private:
  struct Free {
    void operator()(std::byte* p) const;
  };
  uint64_t size_;
  std::unique_ptr<std::byte, Free> bytes_;
  std::vector<uint8_t> written_;  // a bit a byte
  std::vector<uint8_t> touched_;  // a byte's, if anybody watches: 1 read, 2 written
  std::string label_;
};

}  // namespace vd::host
