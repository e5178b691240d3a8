// Fills with patterns, copies of elements with gaps, writes with tickets, slices at any byte, and mapped memory.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "case.h"
#include "code.h"

namespace vdc {
namespace {

using Mapping = Owned<vd_mapping, vd_mapping_release>;

void patterns(Run& run) {
  for (uint32_t width = 1; width <= 16; ++width) {
    for (const size_t repeats : {size_t{1}, size_t{7}, size_t{5000}, (size_t{300} << 10) / width}) {
      const size_t size = repeats * width, offset = run.random() % 9;
      std::vector<uint8_t> all = random_bytes(run, size + 16);
      const Buffer buffer = run.session.buffer(all);
      const std::vector<uint8_t> pattern = random_bytes(run, width);
      VDC(vd_buffer_fill_pattern(buffer, offset, size, pattern.data(), width, 0, nullptr, nullptr));
      for (size_t i = 0; i < size; ++i) all[offset + i] = pattern[i % width];
      if (run.session.read<uint8_t>(buffer, all.size()) != all)
        fail("%zu repeats of %u bytes from byte %zu on", repeats, width, offset);
      run.report.compared += all.size();
    }
  }
}

// Random shapes, against loops.
void strided_copies(Run& run) {
  for (size_t turn = 0; turn < run.samples(30, 300); ++turn) {
    static constexpr uint32_t kSizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 64};
    vd_strided_copy_desc desc = VD_STRIDED_COPY_DESC_INIT;
    desc.element_size = kSizes[run.random() % std::size(kSizes)];
    const uint32_t axes = static_cast<uint32_t>(run.random() % 5);
    const uint64_t align = run.random() % 2 == 0 ? desc.element_size : 1;
    desc.source_offset = run.random() % 40 * align, desc.destination_offset = run.random() % 40 * align;
    uint64_t from_size = desc.element_size, to_size = desc.element_size;
    for (uint32_t i = axes; i-- > 0;) {
      desc.counts[i] = 1 + run.random() % 7;
      desc.source_strides[i] = run.random() % 5 == 0 ? 0 : from_size + run.random() % 3 * align;
      desc.destination_strides[i] = to_size + run.random() % 3 * align;
      from_size += (desc.counts[i] - 1) * desc.source_strides[i];
      to_size += (desc.counts[i] - 1) * desc.destination_strides[i];
    }
    const std::vector<uint8_t> from = random_bytes(run, desc.source_offset + from_size + 5);
    std::vector<uint8_t> to = random_bytes(run, desc.destination_offset + to_size + 5);
    const Buffer source = run.session.buffer(from), destination = run.session.buffer(to);
    VDC(vd_buffer_copy_strided(source, destination, &desc, 0, nullptr, nullptr));
    uint64_t total = 1;
    for (uint32_t i = 0; i < axes; ++i) total *= desc.counts[i];
    for (uint64_t n = 0; n < total; ++n) {
      uint64_t rest = n, a = desc.source_offset, b = desc.destination_offset;
      for (uint32_t i = axes; i-- > 0; rest /= desc.counts[i]) {
        a += rest % desc.counts[i] * desc.source_strides[i];
        b += rest % desc.counts[i] * desc.destination_strides[i];
      }
      std::copy_n(from.begin() + static_cast<ptrdiff_t>(a), desc.element_size, to.begin() + static_cast<ptrdiff_t>(b));
    }
    if (run.session.read<uint8_t>(destination, to.size()) != to)
      fail("%u axes of elements of %u bytes, turn %zu", axes, desc.element_size, turn);
    run.report.compared += to.size();
  }
}

// More units than one axis of a launch has.
void large_strided_copy(Run& run) {
  constexpr size_t kRows = 1100, kColumns = 2048;
  std::vector<uint32_t> all(kRows * kColumns);
  std::iota(all.begin(), all.end(), 0u);
  const Buffer source = run.session.buffer(all), half = run.session.buffer(all.size() * 2);
  vd_strided_copy_desc desc = VD_STRIDED_COPY_DESC_INIT;
  desc.element_size = 4;
  desc.counts[0] = kRows, desc.counts[1] = kColumns / 2;
  desc.source_offset = 4, desc.source_strides[0] = kColumns * 4, desc.source_strides[1] = 8;
  desc.destination_strides[0] = kColumns * 2, desc.destination_strides[1] = 4;
  VDC(vd_buffer_copy_strided(source, half, &desc, 0, nullptr, nullptr));
  const auto got = run.session.read<uint32_t>(half, all.size() / 2);
  for (size_t i = 0; i < got.size(); ++i)
    if (got[i] != 2 * i + 1) fail("odd columns of a matrix: element %zu is %u", i, got[i]);
  run.report.compared += got.size();
}

void slices_at_any_byte(Run& run) {
  std::vector<uint8_t> all = random_bytes(run, 4096);
  const Buffer whole = run.session.buffer(all);
  for (size_t turn = 0; turn < 40; ++turn) {
    const size_t offset = run.random() % 4000, size = 1 + run.random() % (4096 - offset);
    Buffer part;
    VDC(vd_buffer_slice(whole, offset, size, part.out()));
    const std::vector<uint8_t> bytes = random_bytes(run, size);
    VDC(vd_buffer_write(part, 0, bytes.data(), size, 0));
    std::copy(bytes.begin(), bytes.end(), all.begin() + static_cast<ptrdiff_t>(offset));
    if (run.session.read<uint8_t>(part, size) != bytes) fail("a slice of %zu bytes at %zu", size, offset);
  }
  if (run.session.read<uint8_t>(whole, all.size()) != all) fail("slices wrote past their ends");
  run.report.compared += all.size();
}

// The ticket of a write is done when the device has the bytes, also of a write of many pieces.
void sent_bytes(Run& run) {
  for (const size_t size : {size_t{3}, size_t{5000}, size_t{40} << 20}) {
    std::vector<uint8_t> bytes(size);
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * 7 + (i >> 16));
    const Buffer buffer = run.session.buffer(size + 1);
    vd_ticket first = 0, sent = 0;
    VDC(vd_buffer_fill_pattern(buffer, 0, size + 1, "abc", 1, 0, nullptr, &first));
    vd_order_desc order = VD_ORDER_DESC_INIT;
    order.waits = &first, order.wait_count = 1;
    VDC(vd_buffer_send(buffer, 1, bytes.data(), size, 0, &order, &sent));
    if (VDC(vd_ticket_wait(run.session.context(), sent, VD_WAIT_FOREVER)) != VD_OK) fail("a ticket without an end");
    VDC(vd_ticket_wait(run.session.context(), first, 0));
    const auto got = run.session.read<uint8_t>(buffer, size + 1);
    if (got[0] != 'a' || !std::equal(bytes.begin(), bytes.end(), got.begin() + 1)) fail("%zu bytes sent", size);
    run.report.compared += size;
  }
}

Buffer host_buffer(Run& run, size_t size) {
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  desc.size = size, desc.flags = VD_BUFFER_HOST;
  Buffer buffer;
  VDC(vd_buffer_create(run.session.context(), &desc, buffer.out()));
  return buffer;
}

// The host writes, a kernel works, the host reads, without a copy.
void mapped_buffers(Run& run) {
  Code code("twice");
  Value x = code.buffer(VD_TYPE_U32, "x");
  Value i = code.let(code.global_id());
  code.store(x[i], x[i] * 2 + 1);
  const Plan plan = run.session.plan(code.finish(), 64);
  constexpr uint32_t kCount = 1 << 16;
  const Buffer buffer = host_buffer(run, kCount * 4);
  vd_buffer_info properties = VD_BUFFER_INFO_INIT;
  VDC(vd_buffer_get_info(buffer, &properties));
  if (properties.mappable == 0) fail("a buffer with VD_BUFFER_HOST is not mappable");
  std::vector<uint32_t> expected(kCount);
  for (uint32_t turn = 0; turn < 20; ++turn) {
    Mapping mapping;
    vd_mapping_info info = VD_MAPPING_INFO_INIT;
    VDC(vd_buffer_map(buffer, 0, VD_WHOLE_SIZE, VD_MAP_READ | VD_MAP_WRITE, 0, mapping.out()));
    VDC(vd_mapping_get_info(mapping, &info));
    if (info.size != kCount * 4 || info.data == nullptr || info.ended != 0) fail("a mapping's properties");
    auto* words = static_cast<uint32_t*>(info.data);
    if (turn != 0 && std::memcmp(words, expected.data(), info.size) != 0) fail("what a kernel wrote, turn %u", turn);
    for (uint32_t k = 0; k < kCount; k += turn + 1) words[k] = expected[k] = k * (turn + 3);
    if (turn == 0) std::copy_n(words, kCount, expected.begin());
    VDC(vd_mapping_end(mapping));
    run.session.launch(plan, {kCount, 1, 1}, {buffer});
    for (uint32_t& word : expected) word = word * 2 + 1;
  }
  if (run.session.read<uint32_t>(buffer, kCount) != expected) fail("mapped memory, read by a copy");
  // A range, at an odd byte.
  Mapping part;
  vd_mapping_info info = VD_MAPPING_INFO_INIT;
  VDC(vd_buffer_map(buffer, 5, 11, VD_MAP_READ, 0, part.out()));
  VDC(vd_mapping_get_info(part, &info));
  if (std::memcmp(info.data, reinterpret_cast<const uint8_t*>(expected.data()) + 5, 11) != 0) fail("a mapped range");
  run.report.compared += 20 * kCount;
}

// Memory that host and device use at the same time, over several submissions.
void shared_mappings(Run& run) {
  constexpr uint32_t kCount = 1 << 12;
  const Buffer x = host_buffer(run, kCount * 4), y = host_buffer(run, kCount * 4);
  Mapping written, seen;
  const vd_status status =
      vd_buffer_map(x, 0, VD_WHOLE_SIZE, VD_MAP_READ | VD_MAP_WRITE | VD_MAP_SHARED, 0, written.out());
  if (status == VD_ERR_UNSUPPORTED) return;  // host and device have memory of their own
  VDC(status);
  VDC(vd_buffer_map(y, 0, VD_WHOLE_SIZE, VD_MAP_READ | VD_MAP_SHARED, 0, seen.out()));
  vd_mapping_info from = VD_MAPPING_INFO_INIT, to = VD_MAPPING_INFO_INIT;
  VDC(vd_mapping_get_info(written, &from));
  VDC(vd_mapping_get_info(seen, &to));
  for (uint32_t turn = 0; turn < 3; ++turn) {
    for (uint32_t i = 0; i < kCount; ++i) static_cast<uint32_t*>(from.data)[i] = i * 3 + turn;
    VDC(vd_buffer_copy(x, 0, y, 0, VD_WHOLE_SIZE, 0, nullptr, nullptr));
    VDC(vd_context_wait_idle(run.session.context(), 0, VD_WAIT_FOREVER));
    if (std::memcmp(from.data, to.data, kCount * 4) != 0) fail("bytes beside a shared mapping, turn %u", turn);
  }
  run.report.compared += 3 * kCount;
}

// Copies to and from mapped memory, as a program does that keeps its data in pinned memory.
void mapped_copies(Run& run) {
  constexpr size_t kSize = 1 << 20;
  const Buffer up = host_buffer(run, kSize), down = host_buffer(run, kSize), device = run.session.buffer(kSize);
  for (uint8_t turn = 1; turn < 6; ++turn) {
    {
      Mapping mapping;
      vd_mapping_info info = VD_MAPPING_INFO_INIT;
      VDC(vd_buffer_map(up, 0, kSize, VD_MAP_WRITE, 0, mapping.out()));
      VDC(vd_mapping_get_info(mapping, &info));
      std::memset(info.data, turn, kSize);
    }  // its release ends it
    VDC(vd_buffer_copy(up, 0, device, 0, kSize, 0, nullptr, nullptr));
    VDC(vd_buffer_copy(device, 0, down, 0, kSize, 0, nullptr, nullptr));
    Mapping mapping;
    vd_mapping_info info = VD_MAPPING_INFO_INIT;
    VDC(vd_buffer_map(down, 0, kSize, VD_MAP_READ, 0, mapping.out()));
    VDC(vd_mapping_get_info(mapping, &info));
    const auto* bytes = static_cast<const uint8_t*>(info.data);
    if (!std::all_of(bytes, bytes + kSize, [&](uint8_t b) { return b == turn; })) fail("turn %u through copies", turn);
    run.report.compared += kSize;
  }
}

[[maybe_unused]] const Register regions_registered[] = {
    {"regions/patterns", 0, patterns, Turn::None},
    {"regions/strided_copies", 0, strided_copies, Turn::None},
    {"regions/large_strided_copy", 0, large_strided_copy, Turn::None},
    {"regions/slices_at_any_byte", 0, slices_at_any_byte, Turn::None},
    {"regions/sent_bytes", 0, sent_bytes, Turn::None},
    {"regions/mapped_buffers", 0, mapped_buffers, Turn::None},
    {"regions/mapped_copies", 0, mapped_copies, Turn::None},
    {"regions/shared_mappings", 0, shared_mappings, Turn::None},
};

}  // namespace
}  // namespace vdc
