// Device memory of the host backend: bytes of this process. In a checked context a shadow says of each byte whether
// anything was written to it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"

namespace vd::host {

// The limit of all host buffers of this process: pages exist only once they are written, and the system ends a process
// without a message if it writes more pages than the machine has.
class MemoryBudget {
 public:
  // Throws VD_ERR_OUT_OF_MEMORY with the numbers; nothing is taken then. `label` is the buffer's.
  void take(uint64_t size, const std::string& label);
  void give_back(uint64_t size) noexcept { taken_.fetch_sub(size, std::memory_order_relaxed); }
  uint64_t taken() const noexcept { return taken_.load(std::memory_order_relaxed); }

  static MemoryBudget& of_process();

 private:
  std::atomic<uint64_t> taken_{0}, limit_{0};  // limit: as last read
};

class Memory final : public backends::Memory {
 public:
  Memory(uint64_t size, bool checked, std::string label);
  // Over bytes that another owner keeps.
  Memory(std::byte* bytes, uint64_t size, bool checked, std::string label);

  uint64_t size() const override { return size_; }
  // A checked memory is written by commands only, so that its shadow stays true.
  void* host_pointer() override { return written_.empty() ? bytes_.get() : nullptr; }
  bool mappable() override { return true; }
  void* map(uint64_t offset, uint64_t /*size*/, bool /*write*/) override { return bytes_.get() + offset; }
  void unmap(void* /*data*/, uint64_t offset, uint64_t size, bool write) override {
    if (write) mark_written(offset, size);
  }
  bool native(const char* kind, uint64_t& out) const override;

  std::byte* data() { return bytes_.get(); }
  const std::string& label() const { return label_; }

  bool checked() const { return !written_.empty(); }
  bool is_written(uint64_t offset) const { return (written_[offset / 8] >> (offset % 8) & 1) != 0; }
  void mark_written(uint64_t offset, uint64_t size);
  void copy_marks(const Memory& from, uint64_t from_offset, uint64_t offset, uint64_t size);

  // Bytes that kernels of a checked context read and wrote since watch() was called, each counted once; and sectors, the
  // smallest parts that a GPU's memory moves: in all, and those of each workgroup added up.
  struct Touched {
    struct Sectors {
      uint64_t distinct = 0, by_workgroups = 0;
    };
    uint64_t read = 0, written = 0;
    Sectors read_sectors, written_sectors;
  };
  static constexpr uint64_t kSector = 32;
  void watch();
  Touched touched() const;
  // Workgroups run one after the other where anybody watches.
  void mark_touched(uint64_t offset, uint64_t size, uint64_t workgroup, bool write);

 private:
  struct Free {
    Free() : owned(true) {}
    explicit Free(bool owns) : owned(owns) {}
    bool owned;
    void operator()(std::byte* p) const;
  };
  // Bytes of the budget; the last of all to go.
  struct Share {
    uint64_t size = 0;
    Share(uint64_t bytes, const std::string& label) : size(bytes) { MemoryBudget::of_process().take(size, label); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() { MemoryBudget::of_process().give_back(size); }
  };
  std::string label_;
  uint64_t size_;
  Share share_;
  std::unique_ptr<std::byte, Free> bytes_;
  std::vector<uint8_t> written_;  // a bit a byte
  std::optional<Share> watching_;
  std::vector<uint8_t> touched_;  // a byte's, if anybody watches: 1 read, 2 written
  // The number plus one of the workgroup that has touched each sector last; 0: none has.
  std::vector<uint64_t> readers_, writers_;
  Touched::Sectors read_sectors_, written_sectors_;
};

}  // namespace vd::host
