#include "runtime/pattern_fill.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "runtime/host_write.h"
#include "runtime/stream.h"
#include "runtime/submission.h"
#include "runtime/transfer.h"

namespace vd::runtime {
namespace {

// Bytes that are sent; copies on the device double them.
constexpr uint64_t kSeed = 64 << 10;

// Makes `seed` bytes at the start of the range into all of it.
vd_ticket double_up(vd_context& context, Queue& queue, const Access& access, const Transfer& transfer, uint64_t seed,
                    const std::string& label) {
  const Work work{.accesses = {&access, 1}, .claim = &transfer.claim()};
  return *submit(context, queue, work, [&](bool needs_barrier) {
    backends::CommandList& list = queue.scratch;
    list.clear();
    const uint64_t size = access.span.end - access.span.begin;
    for (uint64_t done = seed; done < size; done *= 2) {
      const uint64_t bytes = std::min(done, size - done);
      backends::Command command;
      command.kind = backends::Command::Kind::Copy;
      command.level = static_cast<uint32_t>(list.commands.size());
      command.source = {&transfer.memory(), access.span.begin, bytes};
      command.destination = {&transfer.memory(), access.span.begin + done, bytes};
      list.commands.push_back(command);
    }
    list.wait_before = needs_barrier;
    const uint64_t value = give(context.profiler(), queue, list, [&](size_t i) {
      SpanName name = name_of(list.commands[i]);
      name.label = label;
      return name;
    });
    return Submitted{value, needs_barrier};
  });
}

}  // namespace

Pattern::Pattern(std::span<const std::byte> bytes) : given_size_(static_cast<uint32_t>(bytes.size())) {
  if (bytes.empty() || bytes.size() > kMostBytes)
    fail(VD_ERR_INVALID, "pattern_size ({}) is not 1 to {}", bytes.size(), kMostBytes);
  size_t period = 1;
  const auto repeats = [&] {
    return bytes.size() % period == 0 && std::ranges::equal(bytes.subspan(period), bytes.first(bytes.size() - period));
  };
  while (!repeats()) ++period;
  bytes_.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(period));
}

std::optional<uint32_t> Pattern::word() const {
  if (4 % bytes_.size() != 0) return {};
  std::byte repeated[4];
  for (size_t i = 0; i < 4; ++i) repeated[i] = bytes_[i % bytes_.size()];
  uint32_t word = 0;
  std::memcpy(&word, repeated, sizeof(word));
  return word;
}

std::vector<std::byte> Pattern::repeated(uint64_t most) const {
  std::vector<std::byte> all;
  const uint64_t count = std::max<uint64_t>(most / bytes_.size(), 1);
  all.reserve(count * bytes_.size());
  for (uint64_t i = 0; i < count; ++i) all.insert(all.end(), bytes_.begin(), bytes_.end());
  return all;
}

std::optional<uint32_t> check_fill(const vd_buffer& buffer, uint64_t offset, uint64_t size, const Pattern& pattern) {
  buffer.check_usable();
  buffer.check_writable();
  if (size % pattern.given_size() != 0)
    fail(VD_ERR_INVALID, "size ({}) is not a multiple of pattern_size ({})", size, pattern.given_size());
  buffer.check_range("offset", offset, size);
  if (buffer.placed(buffer.span(offset, 0)).begin % 4 != 0 || size % 4 != 0) return {};
  return pattern.word();
}

vd_ticket fill(vd_buffer& buffer, uint64_t offset, uint64_t size, const Pattern& pattern, uint32_t queue_index,
               const Waits& waits) {
  if (const auto word = check_fill(buffer, offset, size, pattern))
    return fill(buffer, offset, size, *word, queue_index, waits);
  vd_context& context = buffer.context();
  Queue& queue = context.queue(queue_index);
  const Access access{&buffer.block(queue), buffer.span(offset, size), true};
  if (size == 0) return submit_nothing(context, queue, waits);
  const std::vector<std::byte> all = pattern.repeated(std::min(kSeed, size));
  // The bytes pass through the queue's own memory, so the stream waits for it, and it for the stream.
  if (waits.stream != 0) wait_stream(context, queue, waits.stream);
  const Transfer transfer(context, access);
  const vd_ticket sent = send(context, queue, access, {all.data(), all.size()}, transfer, waits);
  const vd_ticket ticket =
      all.size() < size ? double_up(context, queue, access, transfer, all.size(), waits.label) : sent;
  if (waits.stream != 0) signal_stream(context, queue.index, waits.stream);
  context.retired().collect();
  return ticket;
}

}  // namespace vd::runtime
