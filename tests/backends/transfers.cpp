// Writes, reads, copies and fills: offsets, sizes across staging chunks, slices, order with kernels, graphs.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "case.h"
#include "code.h"

namespace vdc {
namespace {

void round_trips(Run& run) {
  for (size_t size :
       {size_t{1}, size_t{3}, size_t{4096}, size_t{1000003}, run.full ? size_t{200} << 20 : size_t{20} << 20}) {
    auto bytes = random_bytes(run, std::min<size_t>(size, 1 << 20));
    bytes.resize(size);
    for (size_t k = 1 << 20; k < size; ++k) bytes[k] = static_cast<uint8_t>(bytes[k & 0xfffff] + (k >> 20));
    Buffer buffer = run.session.buffer(size, bytes.data());
    auto got = run.session.read<uint8_t>(buffer, size);
    if (got != bytes) fail("round trip of %zu bytes", size);
    if (size > 10) {
      const size_t offset = size / 3, part = size / 5 + 1;
      std::vector<uint8_t> piece = random_bytes(run, std::min<size_t>(part, 4096));
      VDC(vd_buffer_write(buffer, offset, piece.data(), piece.size(), 0));
      std::copy(piece.begin(), piece.end(), bytes.begin() + static_cast<ptrdiff_t>(offset));
      std::vector<uint8_t> window(piece.size() + 2);
      VDC(vd_buffer_read(buffer, offset - 1, window.size(), 0, window.data()));
      if (std::memcmp(window.data(), &bytes[offset - 1], window.size()) != 0) fail("part of %zu bytes", size);
    }
    run.report.compared += size;
  }
}

void copies_and_fills(Run& run) {
  constexpr size_t kSize = 4096;
  for (int turn = 0; turn < 20; ++turn) {
    std::vector<uint8_t> a = random_bytes(run, kSize), b = random_bytes(run, kSize);
    Buffer ba = run.session.buffer(a), bb = run.session.buffer(b);
    for (int step = 0; step < 10; ++step) {
      const size_t size = (run.random() % 256 + 1) * 4, from = run.random() % ((kSize - size) / 4) * 4,
                   to = run.random() % ((kSize - size) / 4) * 4;
      switch (run.random() % 3) {
        case 0:
          VDC(vd_buffer_copy(ba, from, bb, to, size, 0, nullptr, nullptr));
          std::copy_n(a.begin() + static_cast<ptrdiff_t>(from), size, b.begin() + static_cast<ptrdiff_t>(to));
          break;
        case 1:
          VDC(vd_buffer_copy(bb, from, ba, to, size, 0, nullptr, nullptr));
          std::copy_n(b.begin() + static_cast<ptrdiff_t>(from), size, a.begin() + static_cast<ptrdiff_t>(to));
          break;
        default: {
          const auto pattern = static_cast<uint32_t>(run.random());
          VDC(vd_buffer_fill(ba, to, size, pattern, 0, nullptr, nullptr));
          for (size_t k = 0; k < size; k += 4) std::memcpy(&a[to + k], &pattern, 4);
        }
      }
    }
    if (run.session.read<uint8_t>(ba, kSize) != a || run.session.read<uint8_t>(bb, kSize) != b)
      fail("copies and fills, turn %d", turn);
    run.report.compared += 2 * kSize;
  }
}

// x[i] = x[i] * factor + addend
Plan affine(Run& run, const char* name) {
  Code code(name);
  Value x = code.buffer(VD_TYPE_U32, "x"), factor = code.constant(VD_TYPE_U32, "factor"),
        addend = code.constant(VD_TYPE_U32, "addend");
  Value i = code.let(code.global_id());
  code.store(x[i], x[i] * factor + addend);
  return run.session.plan(code.finish(), 64);
}

void order_without_waits(Run& run) {
  constexpr uint32_t kCount = 1 << 14;
  Plan plan = affine(run, "affine");
  std::vector<uint32_t> x(kCount);
  for (uint32_t& v : x) v = static_cast<uint32_t>(run.random());
  Buffer buffer = run.session.buffer(x);
  for (uint32_t turn = 0; turn < 200; ++turn) {
    const uint32_t values[2] = {turn * 2 + 3, turn};
    run.session.launch(plan, {kCount, 1, 1}, {buffer}, values, sizeof values);
    for (uint32_t& v : x) v = v * values[0] + values[1];
    if (turn % 50 == 17) {  // a write between launches
      const uint32_t word = turn;
      VDC(vd_buffer_write(buffer, 4 * turn, &word, 4, 0));
      x[turn] = word;
    }
  }
  if (run.session.read<uint32_t>(buffer, kCount) != x) fail("200 launches without a wait");
  run.report.compared += kCount;
}

// A write larger than any staging memory, behind long work, blocks only its own thread: work that other threads submit
// to the same queue meanwhile is taken at once, before that work is done.
void long_writes(Run& run) {
  using Clock = std::chrono::steady_clock;
  Code code("spin");
  Value x = code.buffer(VD_TYPE_U32, "x"), turns = code.constant(VD_TYPE_U32, "turns");
  Value n = code.variable(x[0], "n");
  Value i = code.begin_for(code.u32(0), turns, code.u32(1));
  // Bits are mixed too, lest an optimiser makes one step of all.
  for (int step = 0; step < 64; ++step) code.store(n, (n * 1664525u + i) ^ (n & i));
  code.end();
  code.store(x[0], n);
  Plan spin = run.session.plan(code.finish(), 1), plan = affine(run, "affine_beside");
  Buffer one = run.session.buffer(std::vector<uint32_t>{1}), other = run.session.buffer(std::vector<uint32_t>(64, 1));
  const auto last_ticket = [&](uint32_t count) {
    vd_ticket ticket = 0;
    const vd_binding binding = VD_BINDING_OF(one, 0, VD_WHOLE_SIZE);
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    desc.invocations[0] = 1, desc.bindings = &binding, desc.binding_count = 1, desc.values = &count,
    desc.values_size = 4;
    VDC(vd_plan_launch(spin, &desc, &ticket));
    return ticket;
  };
  // The least of three measurements: a busy machine makes single ones a hundred times as long.
  const auto seconds_of = [&](uint32_t count) {
    double least = 1e9;
    for (int k = 0; k < 3; ++k) {
      const auto start = Clock::now();
      VDC(vd_ticket_wait(run.session.context(), last_ticket(count), VD_WAIT_FOREVER));
      least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return least;
  };

  constexpr size_t kSize = size_t{96} << 20;
  Buffer large = run.session.buffer(kSize);
  std::vector<uint32_t> data(kSize / 4);
  for (size_t k = 0; k < data.size(); ++k) data[k] = static_cast<uint32_t>(k * 2654435761u);
  uint32_t launches = 0;
  bool held_up = true;
  std::string tried;
  // Again, with more work by a new measure, in case that the machine was busy with something else.
  for (const uint32_t wanted : {1, 3, 9}) {
    if (!held_up) break;
    uint32_t count = 60;
    double seconds = 0;
    while ((seconds = seconds_of(count)) < 0.01 && count < 60'000)
      count *= 2;  // llvmpipe ends a loop after 65535 iterations
    const uint32_t launch_count = wanted * static_cast<uint32_t>(std::clamp(1 / seconds, 1.0, 200.0));
    tried += "; " + std::to_string(launch_count) + " launches of " + std::to_string(count) + " turns, " +
             std::to_string(seconds) + " s each";
    vd_ticket slow = 0;
    for (uint32_t k = 0; k < launch_count; ++k) slow = last_ticket(count);
    std::atomic<bool> begun{false};
    vd_status status = VD_OK;
    std::thread writer([&] {
      begun = true;
      status = vd_buffer_write(large, 0, data.data(), kSize, 0);
    });
    while (!begun) std::this_thread::yield();
    for (int k = 0; k < 20; ++k, ++launches) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      const uint32_t values[2] = {3, 1};
      Buffer made = run.session.buffer(1024);
      run.session.launch(plan, {64, 1, 1}, {other}, values, sizeof values);
      VDC(vd_buffer_fill(made, 0, 1024, 5, 0, nullptr, nullptr));
      VDC(vd_buffer_copy(made, 0, other, 128, 64, 0, nullptr, nullptr));
    }
    held_up = VDC(vd_ticket_wait(run.session.context(), slow, 0)) != VD_TIMEOUT;
    writer.join();
    if (status != VD_OK) fail("a large write ends with %s", vd_status_name(status));
  }
  if (held_up) fail("a large write behind long work held up another thread's work%s", tried.c_str());
  if (run.session.read<uint32_t>(large, data.size()) != data) fail("a large write behind long work");
  uint32_t expected = 1;
  for (uint32_t k = 0; k < launches; ++k) expected = expected * 3 + 1;
  const auto got = run.session.read<uint32_t>(other, 64);
  if (got[0] != expected || got[32] != 5) fail("work beside a large write gave %u and %u", got[0], got[32]);
  run.report.compared += data.size() + 2;
}

void slices(Run& run) {
  Plan plan = affine(run, "affine_slice");
  std::vector<uint32_t> x(256);
  for (size_t k = 0; k < x.size(); ++k) x[k] = static_cast<uint32_t>(k);
  Buffer whole = run.session.buffer(x), part;
  VDC(vd_buffer_slice(whole, 64, 256, part.out()));
  const uint32_t values[2] = {10, 1};
  run.session.launch(plan, {64, 1, 1}, {part}, values, sizeof values);
  for (size_t k = 16; k < 80; ++k) x[k] = x[k] * 10 + 1;
  if (run.session.read<uint32_t>(whole, 256) != x) fail("a kernel on a slice");
  if (auto got = run.session.read<uint32_t>(part, 64); got != std::vector<uint32_t>(x.begin() + 16, x.begin() + 80))
    fail("reading a slice");
  run.report.compared += 320;
}

// A random graph of kernels, copies and fills over a few buffers, submitted several times, against the same steps in
// order.
void random_graphs(Run& run) {
  constexpr uint32_t kCount = 512;
  Code code("mix");
  Value from = code.buffer(VD_TYPE_U32, "source"), to = code.buffer(VD_TYPE_U32, "target"),
        key = code.constant(VD_TYPE_U32, "key");
  Value i = code.let(code.global_id());
  code.store(to[i], to[i] * 3 + (from[i] ^ key));
  Plan plan = run.session.plan(code.finish(), 64);
  for (size_t turn = 0; turn < run.samples(6, 60); ++turn) {
    std::vector<std::vector<uint32_t>> data(5, std::vector<uint32_t>(kCount));
    std::vector<Buffer> buffers;
    for (auto& d : data) {
      for (uint32_t& v : d) v = static_cast<uint32_t>(run.random());
      buffers.push_back(run.session.buffer(d));
    }
    Graph graph;
    VDC(vd_graph_create(run.session.context(), nullptr, graph.out()));
    std::vector<std::function<void()>> serial;
    const size_t nodes = 5 + run.random() % 40;
    const uint32_t submits = 1 + static_cast<uint32_t>(run.random() % 3);
    for (size_t n = 0; n < nodes; ++n) {
      const size_t a = run.random() % 5, b = (a + 1 + run.random() % 4) % 5;
      switch (run.random() % 4) {
        case 0:
        case 1: {
          const auto k = static_cast<uint32_t>(run.random());
          vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
          const vd_binding bindings[2] = {VD_BINDING_OF(buffers[a], 0, VD_WHOLE_SIZE),
                                          VD_BINDING_OF(buffers[b], 0, VD_WHOLE_SIZE)};
          desc.invocations[0] = kCount, desc.bindings = bindings, desc.binding_count = 2, desc.values = &k,
          desc.values_size = 4;
          VDC(vd_graph_launch(graph, plan, &desc, nullptr));
          serial.push_back([&data, a, b, k] {
            for (uint32_t j = 0; j < kCount; ++j) data[b][j] = data[b][j] * 3 + (data[a][j] ^ k);
          });
          break;
        }
        case 2: {
          const size_t length = run.random() % (kCount / 2) + 1, at = run.random() % (kCount - length),
                       to_at = run.random() % (kCount - length);
          VDC(vd_graph_copy(graph, buffers[a], at * 4, buffers[b], to_at * 4, length * 4, nullptr));
          serial.push_back([&data, a, b, length, at, to_at] {
            for (size_t j = 0; j < length; ++j) data[b][to_at + j] = data[a][at + j];
          });
          break;
        }
        default: {
          const size_t length = run.random() % (kCount / 4) + 1, at = run.random() % (kCount - length);
          const auto pattern = static_cast<uint32_t>(run.random());
          VDC(vd_graph_fill(graph, buffers[a], at * 4, length * 4, pattern, nullptr));
          serial.push_back([&data, a, length, at, pattern] {
            for (size_t j = 0; j < length; ++j) data[a][at + j] = pattern;
          });
        }
      }
    }
    for (uint32_t s = 0; s < submits; ++s) {
      vd_submit_desc desc = VD_SUBMIT_DESC_INIT;
      desc.repeat = 1 + s;
      vd_ticket ticket = 0;
      VDC(vd_graph_submit(graph, &desc, &ticket));
      if (s == 1) VDC(vd_ticket_wait(run.session.context(), ticket, VD_WAIT_FOREVER));
      for (uint32_t r = 0; r < desc.repeat; ++r)
        for (auto& step : serial) step();
    }
    for (size_t b = 0; b < 5; ++b)
      if (run.session.read<uint32_t>(buffers[b], kCount) != data[b])
        fail("random graph %zu of %zu nodes: buffer %zu differs", turn, nodes, b);
    run.report.compared += 5 * kCount;
  }
}

void record_further(Run& run) {
  Plan plan = affine(run, "affine_graph");
  std::vector<uint32_t> x(64, 1);
  Buffer buffer = run.session.buffer(x);
  Graph graph;
  VDC(vd_graph_create(run.session.context(), nullptr, graph.out()));
  VDC(vd_graph_submit(graph, nullptr, nullptr));  // empty: no error
  vd_buffer* raw = buffer;
  for (uint32_t n = 0; n < 5; ++n) {
    const uint32_t values[2] = {2, n};
    while (VDC(vd_plan_try_launch(plan, graph, 0, 64, 1, 1, &raw, 1, values, sizeof values)) == VD_ERR_WOULD_BLOCK) {
    }
    VDC(vd_graph_submit(graph, nullptr, nullptr));
    for (uint32_t m = 0; m <= n; ++m)
      for (uint32_t& v : x) v = v * 2 + m;
  }
  VDC(vd_graph_reset(graph));
  VDC(vd_graph_submit(graph, nullptr, nullptr));
  if (run.session.read<uint32_t>(buffer, 64) != x) fail("a graph recorded further after submits");
  run.report.compared += 64;
}

// Recorded anew with other buffers, values and sizes, mostly in the same shape, while work of the last form may be in
// flight.
void record_anew(Run& run) {
  constexpr uint32_t kCount = 256;
  Plan plan = affine(run, "affine_anew");
  std::vector<std::vector<uint32_t>> data(3, std::vector<uint32_t>(kCount, 1));
  std::vector<Buffer> buffers;
  for (auto& d : data) buffers.push_back(run.session.buffer(d));
  Graph graph;
  VDC(vd_graph_create(run.session.context(), nullptr, graph.out()));
  for (uint32_t turn = 0; turn < run.samples(20, 200); ++turn) {
    VDC(vd_graph_reset(graph));
    const size_t a = run.random() % 3, b = (a + 1 + run.random() % 2) % 3;
    const uint32_t nodes = run.random() % 6 == 0 ? 2 : 3, length = 1 + static_cast<uint32_t>(run.random() % kCount);
    uint32_t values[3][2];
    for (uint32_t n = 0; n < nodes; ++n) {
      values[n][0] = 3, values[n][1] = static_cast<uint32_t>(run.random());
      const vd_binding binding = VD_BINDING_OF(buffers[n == 1 ? b : a], 0, VD_WHOLE_SIZE);
      vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
      desc.invocations[0] = kCount, desc.bindings = &binding, desc.binding_count = 1;
      desc.values = values[n], desc.values_size = sizeof values[n];
      VDC(vd_graph_launch(graph, plan, &desc, nullptr));
    }
    VDC(vd_graph_copy(graph, buffers[a], 0, buffers[b], 128, 512, nullptr));
    VDC(vd_graph_fill(graph, buffers[a], 0, length * 4, turn, nullptr));
    for (uint32_t submit = 0; submit < 1 + turn % 3; ++submit) {
      VDC(vd_graph_submit(graph, nullptr, nullptr));
      for (uint32_t n = 0; n < nodes; ++n)
        for (uint32_t& v : data[n == 1 ? b : a]) v = v * values[n][0] + values[n][1];
      std::copy_n(data[a].begin(), 128, data[b].begin() + 32);
      std::fill_n(data[a].begin(), length, turn);
    }
  }
  for (size_t b = 0; b < 3; ++b)
    if (run.session.read<uint32_t>(buffers[b], kCount) != data[b]) fail("a graph recorded anew: buffer %zu differs", b);
  run.report.compared += 3 * kCount;
}

// Kernels take buffers from any element on, at once and recorded, beside aligned ones and by way of plans of several
// steps.
void bound_offsets(Run& run) {
  constexpr uint32_t kCount = 256, kValues[2] = {3, 7};
  Plan plan = affine(run, "affine_offset");
  std::vector<uint32_t> data(kCount, 1);
  Buffer buffer = run.session.buffer(data);
  Graph graph;
  VDC(vd_graph_create(run.session.context(), nullptr, graph.out()));
  for (const uint32_t offset : {4u, 16u, 20u, 60u, 64u, 256u, 1020u}) {
    const vd_binding binding = VD_BINDING_OF(buffer, offset, VD_WHOLE_SIZE);
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    desc.invocations[0] = kCount - offset / 4, desc.bindings = &binding, desc.binding_count = 1;
    desc.values = kValues, desc.values_size = sizeof kValues;
    VDC(vd_plan_launch(plan, &desc, nullptr));
    VDC(vd_graph_reset(graph));
    VDC(vd_graph_launch(graph, plan, &desc, nullptr));
    VDC(vd_graph_submit(graph, nullptr, nullptr));
    for (uint32_t i = offset / 4; i < kCount; ++i) data[i] = (data[i] * 3 + 7) * 3 + 7;
    if (run.session.read<uint32_t>(buffer, kCount) != data) fail("launches at offset %u", offset);
  }
  run.report.compared += 7 * kCount;
}

// Elements of 12 bytes, of which every fourth is aligned, as themselves and as the numbers in them, and a buffer at
// another offset beside them.
void bound_vectors(Run& run) {
  Code code("sums");
  Value v = code.buffer(VD_TYPE_F32X3, "v"), out = code.buffer(VD_TYPE_F32, "out");
  Value i = code.let(code.global_id());
  Value sum = code.let(v[i][0u] + v[i][1u] * code.f32(10) + v[i][2u] * code.f32(100));
  code.store(out[i], sum);
  const Plan plan = run.session.plan(code.finish(), 64);
  constexpr uint32_t kCount = 40;
  std::vector<float> data(kCount * 3);
  for (size_t k = 0; k < data.size(); ++k) data[k] = static_cast<float>(k);
  const Buffer vectors = run.session.buffer(data);
  for (uint32_t first = 0; first < 9; ++first) {
    const Buffer sums = run.session.buffer(std::vector<float>(kCount + 3, -1));
    const vd_binding bindings[2] = {VD_BINDING_OF(vectors, first * 12, VD_WHOLE_SIZE),
                                    VD_BINDING_OF(sums, first % 4 * 4, VD_WHOLE_SIZE)};
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    desc.invocations[0] = kCount - first, desc.bindings = bindings, desc.binding_count = 2;
    VDC(vd_plan_launch(plan, &desc, nullptr));
    const auto got = run.session.read<float>(sums, kCount + 3);
    for (uint32_t k = 0; k < kCount + 3; ++k) {
      const uint32_t n = k - first % 4, at = (n + first) * 3;
      const bool written = k >= first % 4 && n < kCount - first;
      const float expected = written ? data[at] + data[at + 1] * 10 + data[at + 2] * 100 : -1;
      if (got[k] != expected) fail("element %u of vectors from %u on: %g, not %g", k, first, got[k], expected);
    }
    run.report.compared += kCount;
  }
}

[[maybe_unused]] const Register transfers_registered[] = {
    {"transfers/round_trips", 0, round_trips, Turn::None},
    {"transfers/copies_and_fills", 0, copies_and_fills, Turn::None},
    {"transfers/order_without_waits", 0, order_without_waits, Turn::None},
    {"transfers/long_writes", 0, long_writes, Turn::None},
    {"transfers/slices", 0, slices, Turn::None},
    {"transfers/bound_offsets", 0, bound_offsets, Turn::None},
    {"transfers/bound_vectors", 0, bound_vectors, Turn::None},
    {"graphs/random", 0, random_graphs, Turn::None},
    {"graphs/record_further", 0, record_further, Turn::None},
    {"graphs/record_anew", 0, record_anew, Turn::None},
};

}  // namespace
}  // namespace vdc
