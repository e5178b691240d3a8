// 32-bit atomics on buffers and shared memory: every op's total effect, and that old values are returned exactly once.
#include <algorithm>

#include "case.h"
#include "code.h"

namespace vdc {
namespace {

constexpr uint32_t kCount = 1000;

struct AtomicOp {
  const char* name;
  vd_op op;
  uint32_t first;
  std::function<uint32_t(uint32_t, uint32_t)> fold;  // order does not matter
};

template <bool Signed>
std::vector<AtomicOp> atomic_ops() {
  auto less = [](uint32_t a, uint32_t b) { return Signed ? static_cast<int32_t>(a) < static_cast<int32_t>(b) : a < b; };
  return {
      {"add", VD_OP_ATOMIC_ADD, 5, [](uint32_t a, uint32_t b) { return a + b; }},
      {"sub", VD_OP_ATOMIC_SUB, 5, [](uint32_t a, uint32_t b) { return a - b; }},
      {"min", VD_OP_ATOMIC_MIN, 70000, [less](uint32_t a, uint32_t b) { return less(b, a) ? b : a; }},
      {"max", VD_OP_ATOMIC_MAX, 3, [less](uint32_t a, uint32_t b) { return less(a, b) ? b : a; }},
      {"and", VD_OP_ATOMIC_AND, 0xffffffff, [](uint32_t a, uint32_t b) { return a & b; }},
      {"or", VD_OP_ATOMIC_OR, 1, [](uint32_t a, uint32_t b) { return a | b; }},
      {"xor", VD_OP_ATOMIC_XOR, 0x55, [](uint32_t a, uint32_t b) { return a ^ b; }},
  };
}

template <bool Signed>
void read_modify_write(Run& run) {
  const vd_type type = Signed ? VD_TYPE_I32 : VD_TYPE_U32;
  const auto ops = atomic_ops<Signed>();
  std::vector<uint32_t> input(kCount);
  for (uint32_t& x : input) x = static_cast<uint32_t>(run.random()) >> (run.random() % 3 * 8);
  Code code("read_modify_write");
  Value in = code.buffer(type, "input"), cells = code.buffer(type, "cells");
  Value x = code.let(in[code.global_id()]);
  for (uint32_t k = 0; k < ops.size(); ++k) code.op(ops[k].op, {cells[k], x});
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, 64);
  std::vector<uint32_t> first;
  for (const AtomicOp& op : ops) first.push_back(op.first);
  Buffer a = run.session.buffer(input), b = run.session.buffer(first);
  run.session.launch(plan, {kCount, 1, 1}, {a, b});
  auto got = run.session.read<uint32_t>(b, ops.size());
  for (size_t k = 0; k < ops.size(); ++k) {
    uint32_t expected = ops[k].first;
    for (uint32_t value : input) expected = ops[k].fold(expected, value);
    if (got[k] != expected)
      fail("atomic %s (%s): %u, expected %u", ops[k].name, Signed ? "i32" : "u32", got[k], expected);
  }
  run.report.compared += ops.size();
}

void tickets(Run& run) {
  Code code("tickets");
  Value counter = code.buffer(VD_TYPE_U32, "counter"), out = code.buffer(VD_TYPE_U32, "result");
  Value ticket = code.op(VD_OP_ATOMIC_ADD, {counter[0u], code.u32(1)});
  code.store(out[ticket], code.global_id());
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, 64);
  Buffer a = run.session.buffer(4), b = run.session.buffer(kCount * 4);
  VDC(vd_buffer_fill(a, 0, 4, 0, 0, nullptr));
  run.session.launch(plan, {kCount, 1, 1}, {a, b});
  auto got = run.session.read<uint32_t>(b, kCount);
  std::sort(got.begin(), got.end());
  for (uint32_t k = 0; k < kCount; ++k)
    if (got[k] != k) fail("tickets: %u stands where %u should", got[k], k);
  run.report.compared += kCount;
}

void exchange_and_cas(Run& run) {
  // A spinless use of each: exchange leaves one of the values; compare-and-swap lets exactly one invocation win.
  Code code("exchange_and_cas");
  Value cells = code.buffer(VD_TYPE_U32, "cells"), out = code.buffer(VD_TYPE_U32, "result");
  Value i = code.let(code.global_id());
  code.op(VD_OP_ATOMIC_EXCHANGE, {cells[0u], i + 100});
  Value old = code.op(VD_OP_ATOMIC_CAS, {cells[1u], code.u32(7), i + 100});
  code.store(out[i], code.op(VD_OP_SELECT, {old == code.u32(7), code.u32(1), code.u32(0)}));
  code.op(VD_OP_ATOMIC_STORE, {cells[i + 2], i * 3});
  Value back = code.op(VD_OP_ATOMIC_LOAD, {cells[i + 2]});
  code.store(out[i + kCount], back);
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, 64);
  std::vector<uint32_t> cells_first(kCount + 2, 7);
  Buffer a = run.session.buffer(cells_first), b = run.session.buffer(kCount * 8);
  run.session.launch(plan, {kCount, 1, 1}, {a, b});
  auto got = run.session.read<uint32_t>(b, kCount * 2);
  auto cells_got = run.session.read<uint32_t>(a, 2);
  if (cells_got[0] < 100 || cells_got[0] >= 100 + kCount) fail("exchange left %u", cells_got[0]);
  const auto winners = std::count(got.begin(), got.begin() + kCount, 1u);
  if (winners != 1) fail("compare and swap had %td winners", winners);
  if (got[cells_got[1] - 100] != 1) fail("compare and swap stored %u, which did not win", cells_got[1]);
  for (uint32_t k = 0; k < kCount; ++k)
    if (got[kCount + k] != k * 3) fail("atomic load gave %u, expected %u", got[kCount + k], k * 3);
  run.report.compared += kCount * 2 + 2;
}

void shared_histogram(Run& run) {
  constexpr uint32_t kLocal = 64, kBins = 16;
  Code code("shared_histogram", VD_BUILDER_NO_EXEC_BOUNDS);
  Value in = code.buffer(VD_TYPE_U32, "input"), out = code.buffer(VD_TYPE_U32, "result");
  Value bins = code.shared(VD_TYPE_U32, kBins, "bins");
  Value lane = code.let(code.local_id());
  code.begin_if(lane < kBins);
  code.store(bins[lane], code.u32(0));
  code.end();
  code.barrier();
  code.op(VD_OP_ATOMIC_ADD, {bins[in[code.global_id()] % kBins], code.u32(1)}, VD_TYPE_NONE,
          VD_MEMORY_GROUP | VD_MEMORY_SHARED);
  code.barrier();
  code.begin_if(lane < kBins);
  code.op(VD_OP_ATOMIC_ADD, {out[lane], bins[lane]});
  code.end();
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, kLocal);
  std::vector<uint32_t> input(kLocal * 20);
  for (uint32_t& x : input) x = static_cast<uint32_t>(run.random());
  Buffer a = run.session.buffer(input), b = run.session.buffer(kBins * 4);
  VDC(vd_buffer_fill(b, 0, kBins * 4, 0, 0, nullptr));
  run.session.launch(plan, {static_cast<uint32_t>(input.size()), 1, 1}, {a, b});
  auto got = run.session.read<uint32_t>(b, kBins);
  for (uint32_t k = 0; k < kBins; ++k) {
    const auto expected = std::count_if(input.begin(), input.end(), [k](uint32_t x) { return x % kBins == k; });
    if (got[k] != expected) fail("shared_histogram: bin %u has %u, expected %td", k, got[k], expected);
  }
  run.report.compared += kBins;
}

[[maybe_unused]] const Register registered[] = {
    {"atomics/u32", 0, read_modify_write<false>},
    {"atomics/i32", 0, read_modify_write<true>},
    {"atomics/tickets", 0, tickets},
    {"atomics/exchange_and_cas", 0, exchange_and_cas},
    {"atomics/shared_histogram", 0, shared_histogram},
};

}  // namespace
}  // namespace vdc
