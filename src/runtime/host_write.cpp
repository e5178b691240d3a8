#include "runtime/host_write.h"

#include <algorithm>
#include <optional>

#include "runtime/submission.h"

namespace vd::runtime {
namespace {

// Size of the pieces in which the host writes device memory itself, under the order lock; other threads may take the
// lock between pieces.
constexpr uint64_t kInPlacePiece = uint64_t{32} << 20;

// A write that is under way: its pieces go one after the other.
class HostWrite {
 public:
  HostWrite(vd_context& context, Queue& queue, Block* block, const Transfer& transfer, const Waits& waits)
      : context_(context), queue_(queue), block_(block), transfer_(transfer), waits_(waits) {}

  vd_ticket run(uint64_t begin, std::span<const std::byte> bytes) {
    const bool no_waits = waits_.queues.empty() && waits_.devices.empty() && !waits_.semaphores;
    const bool reachable = no_waits && transfer_.memory().host_pointer() != nullptr;
    for (uint64_t done = 0; done < bytes.size();) {
      const backends::Range rest{&transfer_.memory(), begin + done, bytes.size() - done};
      const uint64_t in_place = reachable ? write_in_place(rest, bytes.data() + done) : 0;
      done += in_place != 0 ? in_place : upload(rest, bytes.data() + done, done == 0);
    }
    return ticket_;
  }

 private:
  // The bytes written, 0 if the device may use the memory.
  uint64_t write_in_place(backends::Range range, const void* data) {
    range.size = std::min(range.size, kInPlacePiece);
    const Access access{block_, {range.offset, range.offset + range.size}, true};
    const auto ticket = submit(context_, queue_, {.accesses = {&access, 1}, .claim = &transfer_.claim()},
                               [&](bool) -> std::optional<Submitted> {
                                 const auto value = queue_.backend.write_in_place(range, data);
                                 if (!value) return {};
                                 // All work that was submitted is done. A failure of the last is not the write's.
                                 if (!queue_.backend.failures.has(*value)) return Submitted{*value, true};
                                 return Submitted{queue_.backend.submit(backends::CommandList{}), true};
                               });
    if (ticket) ticket_ = *ticket;
    return ticket ? range.size : 0;
  }

  // Submits the first piece of the rest, and returns its size.
  uint64_t upload(const backends::Range& rest, const void* data, bool first) {
    const auto piece = context_.call([&] { return queue_.backend.stage(rest, data); });
    const Access access{block_, {rest.offset, rest.offset + piece->size()}, true};
    Work work{.accesses = {&access, 1}, .claim = &transfer_.claim(), .is_write = true};
    if (first) {
      work.after = waits_.queues;
      work.after_devices = waits_.devices;
      work.semaphores = waits_.semaphores.get();
    }
    ticket_ = *submit(context_, queue_, work, [&](bool needs_barrier) {
      // A barrier at the beginning, whether needed or not; the other pieces may run beside other work.
      const bool wait_before = first || needs_barrier;
      return Submitted{piece->submit(wait_before), wait_before};
    });
    context_.call([&] { piece->finish(); });
    return piece->size();
  }

  vd_context& context_;
  Queue& queue_;
  Block* const block_;
  const Transfer& transfer_;
  const Waits& waits_;
  vd_ticket ticket_ = 0;
};

}  // namespace

vd_ticket send(vd_context& context, Queue& queue, const Access& access, std::span<const std::byte> bytes,
               const Transfer& transfer, const Waits& waits) {
  return HostWrite(context, queue, access.block, transfer, waits).run(access.span.begin, bytes);
}

}  // namespace vd::runtime
