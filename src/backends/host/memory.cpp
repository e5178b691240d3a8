#include "backends/host/memory.h"

#include <new>
#include <string_view>

#include "core/error.h"
#include "core/platform.h"

namespace vd::host {
namespace {
// A cache line, and more than any vector register.
constexpr std::align_val_t kAlign{64};

// A buffer's shadow has a bit a byte.
uint64_t with_shadow(uint64_t size, bool checked) { return checked ? size + size / 8 + 1 : size; }

}  // namespace

MemoryBudget& MemoryBudget::of_process() {
  static MemoryBudget budget;
  return budget;
}

void MemoryBudget::take(uint64_t size, const std::string& label) {
  const uint64_t before = taken_.fetch_add(size, std::memory_order_relaxed);
  const auto past = [&](uint64_t limit) { return size > limit || before > limit - size; };
  if (!past(limit_.load(std::memory_order_relaxed))) return;
  // Control groups change while a process runs.
  const uint64_t limit = platform::memory_size();
  limit_.store(limit, std::memory_order_relaxed);
  if (limit == 0 || !past(limit)) return;
  give_back(size);
  fail(VD_ERR_OUT_OF_MEMORY,
       "host memory ran out: buffer \"{}\" takes {} bytes, the host buffers of this process {}; it may have {}", label,
       size, before, limit);
}

void Memory::Free::operator()(std::byte* p) const {
  if (owned) ::operator delete(p, kAlign);
}

Memory::Memory(uint64_t size, bool checked, std::string label)
    : label_(std::move(label)), size_(size), share_(with_shadow(size, checked), label_) {
  try {
    bytes_.reset(static_cast<std::byte*>(::operator new(static_cast<size_t>(size), kAlign, std::nothrow)));
    if (bytes_ == nullptr) throw std::bad_alloc();
    if (checked) written_.resize(static_cast<size_t>(size / 8 + 1));
  } catch (const std::exception&) {
    fail(VD_ERR_OUT_OF_MEMORY, "host memory ran out: buffer \"{}\" of {} bytes", label_, size);
  }
}

Memory::Memory(std::byte* bytes, uint64_t size, bool checked, std::string label)
    : label_(std::move(label)), size_(size), share_(checked ? size / 8 + 1 : 0, label_), bytes_(bytes, Free(false)) {
  if (!checked) return;
  try {
    written_.resize(static_cast<size_t>(size / 8 + 1), 0xff);  // by whoever keeps them
  } catch (const std::exception&) {
    fail(VD_ERR_OUT_OF_MEMORY, "host memory ran out: import \"{}\" of {} bytes", label_, size);
  }
}

bool Memory::native(const char* kind, uint64_t& out) const {
  if (std::string_view(kind) != "address") return false;
  out = reinterpret_cast<uintptr_t>(bytes_.get());
  return true;
}

void Memory::mark_written(uint64_t offset, uint64_t size) {
  if (!checked()) return;
  for (; size != 0 && (offset % 8 != 0 || size < 8); ++offset, --size) {
    written_[offset / 8] |= static_cast<uint8_t>(1u << offset % 8);
  }
  if (size == 0) return;
  std::memset(written_.data() + offset / 8, 0xff, size / 8);
  for (uint64_t at = offset + size / 8 * 8; at < offset + size; ++at) {
    written_[at / 8] |= static_cast<uint8_t>(1u << at % 8);
  }
}

void Memory::copy_marks(const Memory& from, uint64_t from_offset, uint64_t offset, uint64_t size) {
  if (!checked()) return;
  for (uint64_t i = 0; i < size; ++i) {
    const bool written = !from.checked() || from.is_written(from_offset + i);
    uint8_t& byte = written_[(offset + i) / 8];
    const auto bit = static_cast<uint8_t>(1u << (offset + i) % 8);
    byte = static_cast<uint8_t>(written ? byte | bit : byte & ~bit);
  }
}

void Memory::watch() {
  const size_t sectors = static_cast<size_t>((size_ + kSector - 1) / kSector);
  if (!watching_) watching_.emplace(size_ + 2 * sectors * sizeof(uint64_t), label_);
  touched_.assign(static_cast<size_t>(size_), 0);
  readers_.assign(sectors, 0);
  writers_.assign(sectors, 0);
  read_sectors_ = written_sectors_ = {};
}

Memory::Touched Memory::touched() const {
  Touched sum;
  for (const uint8_t t : touched_) {
    sum.read += t & 1;
    sum.written += t >> 1;
  }
  sum.read_sectors = read_sectors_;
  sum.written_sectors = written_sectors_;
  return sum;
}

void Memory::mark_touched(uint64_t offset, uint64_t size, uint64_t workgroup, bool write) {
  if (touched_.empty()) return;
  for (uint64_t at = offset; at < offset + size; ++at) touched_[at] |= write ? 2 : 1;
  std::vector<uint64_t>& last = write ? writers_ : readers_;
  Touched::Sectors& sectors = write ? written_sectors_ : read_sectors_;
  for (uint64_t i = offset / kSector; i <= (offset + size - 1) / kSector; ++i) {
    if (last[i] == workgroup + 1) continue;
    if (last[i] == 0) ++sectors.distinct;
    ++sectors.by_workgroups;
    last[i] = workgroup + 1;
  }
}

}  // namespace vd::host
