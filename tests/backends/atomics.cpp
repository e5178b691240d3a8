// Atomics on buffers and shared memory: every op's total effect, and that old values are returned exactly once.
#include <algorithm>
#include <bit>
#include <limits>

#include "case.h"
#include "code.h"

namespace vdc {
namespace {

constexpr uint32_t kCount = 1000;

template <class T>
constexpr vd_type kType = sizeof(T) == 8 ? (std::is_floating_point_v<T> ? VD_TYPE_F64
                                            : std::is_signed_v<T>       ? VD_TYPE_I64
                                                                        : VD_TYPE_U64)
                                         : (std::is_floating_point_v<T> ? VD_TYPE_F32
                                            : std::is_signed_v<T>       ? VD_TYPE_I32
                                                                        : VD_TYPE_U32);

template <class T>
struct AtomicOp {
  const char* name;
  vd_op op;
  T first;
  std::function<T(T, T)> fold;  // order does not matter
};

template <class T>
std::vector<AtomicOp<T>> atomic_ops() {
  using U = std::make_unsigned_t<T>;
  return {
      {"add", VD_OP_ATOMIC_ADD, 5, [](T a, T b) { return T(U(a) + U(b)); }},
      {"sub", VD_OP_ATOMIC_SUB, 5, [](T a, T b) { return T(U(a) - U(b)); }},
      {"min", VD_OP_ATOMIC_MIN, 70000, [](T a, T b) { return std::min(a, b); }},
      {"max", VD_OP_ATOMIC_MAX, 3, [](T a, T b) { return std::max(a, b); }},
      {"and", VD_OP_ATOMIC_AND, T(~U(0)), [](T a, T b) { return T(a & b); }},
      {"or", VD_OP_ATOMIC_OR, 1, [](T a, T b) { return T(a | b); }},
      {"xor", VD_OP_ATOMIC_XOR, 0x55, [](T a, T b) { return T(a ^ b); }},
  };
}

template <class T>
void read_modify_write(Run& run) {
  const auto ops = atomic_ops<T>();
  std::vector<T> input(kCount);
  for (T& x : input) x = static_cast<T>(run.random() >> (run.random() % 3 * 8));
  Code code("read_modify_write");
  Value in = code.buffer(kType<T>, "input"), cells = code.buffer(kType<T>, "cells");
  Value x = code.let(in[code.global_id()]);
  for (uint32_t k = 0; k < ops.size(); ++k) code.op(ops[k].op, {cells[k], x});
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, 64);
  std::vector<T> first;
  for (const auto& op : ops) first.push_back(op.first);
  Buffer a = run.session.buffer(input), b = run.session.buffer(first);
  run.session.launch(plan, {kCount, 1, 1}, {a, b});
  auto got = run.session.read<T>(b, ops.size());
  for (size_t k = 0; k < ops.size(); ++k) {
    T expected = ops[k].first;
    for (T value : input) expected = ops[k].fold(expected, value);
    if (got[k] != expected)
      fail("atomic %s of %zu bytes%s: %lld, expected %lld", ops[k].name, sizeof(T),
           std::is_signed_v<T> ? ", signed" : "", static_cast<long long>(got[k]), static_cast<long long>(expected));
  }
  run.report.compared += ops.size();
}

// Whole numbers that fit a float's fraction, so that every order of adding gives the same. Cells are scalars of a
// buffer, and a component of a vector in a struct's place: an address that has to be computed.
template <class T>
void floats(Run& run) {
  constexpr uint32_t kAdd = 0, kSub = 1, kMin = 2, kMax = 3, kTicket = 4, kExchange = 5, kCells = 6;
  const vd_type wide = sizeof(T) == 8 ? VD_TYPE_F64X4 : VD_TYPE_F32X4;
  std::vector<T> input(kCount);
  for (T& x : input) x = static_cast<T>(static_cast<int>(run.random() % 8001) - 4000);
  Code code("floats");
  Value in = code.buffer(kType<T>, "input"), cells = code.buffer(kType<T>, "cells"), out = code.buffer(kType<T>, "old"),
        vectors = code.buffer(wide, "vectors");
  Value i = code.let(code.global_id()), x = code.let(in[i]);
  const uint64_t one = sizeof(T) == 8 ? std::bit_cast<uint64_t>(1.0) : std::bit_cast<uint32_t>(1.0f);
  const uint64_t nan = sizeof(T) == 8 ? 0x7ff8000000000000u : 0x7fc00000u;
  code.op(VD_OP_ATOMIC_ADD, {cells[kAdd], x});
  code.op(VD_OP_ATOMIC_SUB, {cells[kSub], x});
  code.op(VD_OP_ATOMIC_MIN, {cells[kMin], x});
  code.op(VD_OP_ATOMIC_MAX, {cells[kMax], x});
  code.begin_if(i == code.u32(7));
  code.op(VD_OP_ATOMIC_MIN, {cells[kMin], code.literal(kType<T>, nan)});
  code.end();
  Value ticket = code.op(VD_OP_ATOMIC_ADD, {cells[kTicket], code.literal(kType<T>, one)});
  code.store(out[code.convert(ticket, VD_TYPE_U32)], x);
  code.store(out[i + kCount], code.op(VD_OP_ATOMIC_EXCHANGE, {cells[kExchange], x}));
  code.op(VD_OP_ATOMIC_ADD, {vectors[i % 3][2u], x});
  code.op(VD_OP_ATOMIC_MAX, {vectors[2u][i % 2], x});
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, 64);
  std::vector<T> first(kCells, 0), zeros(12, 0);
  first[kMin] = 5000, first[kMax] = std::numeric_limits<T>::quiet_NaN(), first[kExchange] = 12345;
  Buffer a = run.session.buffer(input), b = run.session.buffer(first), c = run.session.buffer(kCount * 2 * sizeof(T)),
         d = run.session.buffer(zeros);
  run.session.launch(plan, {kCount, 1, 1}, {a, b, c, d});
  auto got = run.session.read<T>(b, kCells), old = run.session.read<T>(c, kCount * 2),
       parts = run.session.read<T>(d, 12);
  const auto same = [&](const char* what, double value, double expected) {
    if (!(value == expected))
      fail("atomic %s of a float of %zu bytes: %g, expected %g", what, sizeof(T), value, expected);
    ++run.report.compared;
  };
  double sum = 0, part[3] = {}, largest[2] = {};
  for (uint32_t k = 0; k < kCount; ++k) {
    sum += input[k], part[k % 3] += input[k];
    largest[k % 2] = std::max(largest[k % 2], static_cast<double>(input[k]));
  }
  same("add", got[kAdd], sum);
  same("sub", got[kSub], -sum);
  same("min", got[kMin], *std::min_element(input.begin(), input.end()));
  same("max", got[kMax], *std::max_element(input.begin(), input.end()));
  same("ticket", got[kTicket], kCount);
  double drawn = 0, taken = got[kExchange];
  for (uint32_t k = 0; k < kCount; ++k) drawn += old[k], taken += old[kCount + k];
  same("old value of add", drawn, sum);
  same("exchange", taken, sum + 12345);
  for (uint32_t k = 0; k < 3; ++k) same("add to a component", parts[4 * k + 2], part[k]);
  for (uint32_t k = 0; k < 2; ++k) same("max of a component", parts[8 + k], largest[k]);
}

template <class T>
void shared_floats(Run& run) {
  constexpr uint32_t kLocal = 64, kGroups = 5, kCells = 4;
  Code code("shared_floats", VD_BUILDER_NO_EXEC_BOUNDS);
  Value in = code.buffer(kType<T>, "input"), out = code.buffer(kType<T>, "result");
  Value cells = code.shared(kType<T>, kCells, "cells");
  Value lane = code.let(code.local_id());
  code.begin_if(lane < kCells);
  code.store(cells[lane], code.literal(kType<T>, 0));
  code.end();
  code.barrier();
  code.op(VD_OP_ATOMIC_ADD, {cells[lane % kCells], in[code.global_id()]}, VD_TYPE_NONE,
          VD_MEMORY_WORKGROUP | VD_MEMORY_SHARED);
  code.barrier();
  code.begin_if(lane < kCells);
  code.op(VD_OP_ATOMIC_ADD, {out[lane], cells[lane]});
  code.end();
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, kLocal);
  std::vector<T> input(kLocal * kGroups), zeros(kCells, 0);
  for (T& x : input) x = static_cast<T>(run.random() % 1000);
  Buffer a = run.session.buffer(input), b = run.session.buffer(zeros);
  run.session.launch(plan, {kLocal * kGroups, 1, 1}, {a, b});
  auto got = run.session.read<T>(b, kCells);
  for (uint32_t k = 0; k < kCells; ++k) {
    double expected = 0;
    for (uint32_t n = k; n < input.size(); n += kCells) expected += input[n];
    if (static_cast<double>(got[k]) != expected)
      fail("shared float atomics: cell %u has %g, expected %g", k, static_cast<double>(got[k]), expected);
  }
  run.report.compared += kCells;
}

void tickets(Run& run) {
  Code code("tickets");
  Value counter = code.buffer(VD_TYPE_U32, "counter"), out = code.buffer(VD_TYPE_U32, "result");
  Value ticket = code.op(VD_OP_ATOMIC_ADD, {counter[0u], code.u32(1)});
  code.store(out[ticket], code.global_id());
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, 64);
  Buffer a = run.session.buffer(4), b = run.session.buffer(kCount * 4);
  VDC(vd_buffer_fill(a, 0, 4, 0, 0, nullptr, nullptr));
  run.session.launch(plan, {kCount, 1, 1}, {a, b});
  auto got = run.session.read<uint32_t>(b, kCount);
  std::sort(got.begin(), got.end());
  for (uint32_t k = 0; k < kCount; ++k)
    if (got[k] != k) fail("tickets: %u stands where %u should", got[k], k);
  run.report.compared += kCount;
}

template <class T>
void exchange_and_cas(Run& run) {
  // A spinless use of each: exchange leaves one of the values; compare-and-swap lets exactly one invocation win.
  // Values differ in their upper halves, too.
  constexpr T kFactor = sizeof(T) == 8 ? T(0x100000001u) : T(1);
  Code code("exchange_and_cas");
  Value cells = code.buffer(kType<T>, "cells"), out = code.buffer(kType<T>, "result");
  Value i = code.let(code.global_id());
  Value mine = code.let(code.convert(i + 100, kType<T>) * code.literal(kType<T>, kFactor));
  code.op(VD_OP_ATOMIC_EXCHANGE, {cells[0u], mine});
  Value seven = code.literal(kType<T>, 7 * kFactor);
  Value old = code.op(VD_OP_ATOMIC_CAS, {cells[1u], seven, mine});
  code.store(out[i], code.op(VD_OP_SELECT, {old == seven, code.literal(kType<T>, 1), code.literal(kType<T>, 0)}));
  code.op(VD_OP_ATOMIC_STORE, {cells[i + 2], mine});
  code.store(out[i + kCount], code.op(VD_OP_ATOMIC_LOAD, {cells[i + 2]}));
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, 64);
  std::vector<T> cells_first(kCount + 2, 7 * kFactor);
  Buffer a = run.session.buffer(cells_first), b = run.session.buffer(kCount * 2 * sizeof(T));
  run.session.launch(plan, {kCount, 1, 1}, {a, b});
  auto got = run.session.read<T>(b, kCount * 2);
  auto cells_got = run.session.read<T>(a, 2);
  const auto whose = [&](T value) {
    return value % kFactor == 0 ? static_cast<uint64_t>(value / kFactor) - 100 : kCount;
  };
  if (whose(cells_got[0]) >= kCount) fail("exchange left %llx", static_cast<unsigned long long>(cells_got[0]));
  const auto winners = std::count(got.begin(), got.begin() + kCount, T(1));
  if (winners != 1) fail("compare and swap had %td winners", winners);
  if (whose(cells_got[1]) >= kCount || got[whose(cells_got[1])] != 1)
    fail("compare and swap stored %llx, which did not win", static_cast<unsigned long long>(cells_got[1]));
  for (uint32_t k = 0; k < kCount; ++k)
    if (got[kCount + k] != static_cast<T>(k + 100) * kFactor)
      fail("atomic load gave %llx to invocation %u", static_cast<unsigned long long>(got[kCount + k]), k);
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
          VD_MEMORY_WORKGROUP | VD_MEMORY_SHARED);
  code.barrier();
  code.begin_if(lane < kBins);
  code.op(VD_OP_ATOMIC_ADD, {out[lane], bins[lane]});
  code.end();
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, kLocal);
  std::vector<uint32_t> input(kLocal * 20);
  for (uint32_t& x : input) x = static_cast<uint32_t>(run.random());
  Buffer a = run.session.buffer(input), b = run.session.buffer(kBins * 4);
  VDC(vd_buffer_fill(b, 0, kBins * 4, 0, 0, nullptr, nullptr));
  run.session.launch(plan, {static_cast<uint32_t>(input.size()), 1, 1}, {a, b});
  auto got = run.session.read<uint32_t>(b, kBins);
  for (uint32_t k = 0; k < kBins; ++k) {
    const auto expected = std::count_if(input.begin(), input.end(), [k](uint32_t x) { return x % kBins == k; });
    if (got[k] != expected) fail("shared_histogram: bin %u has %u, expected %td", k, got[k], expected);
  }
  run.report.compared += kBins;
}

constexpr uint64_t k64 = VD_FEATURE_I64 | VD_FEATURE_I64_ATOMICS;

[[maybe_unused]] const Register atomics_registered[] = {
    {"atomics/u32", 0, read_modify_write<uint32_t>},
    {"atomics/i32", 0, read_modify_write<int32_t>},
    {"atomics/u64", k64, read_modify_write<uint64_t>},
    {"atomics/i64", k64, read_modify_write<int64_t>},
    {"atomics/f32", 0, floats<float>},
    {"atomics/f64", k64 | VD_FEATURE_F64, floats<double>},
    {"atomics/shared_f32", 0, shared_floats<float>},
    {"atomics/shared_f64", VD_FEATURE_F64 | VD_FEATURE_F64_ATOMIC_ADD, shared_floats<double>},
    {"atomics/tickets", 0, tickets},
    {"atomics/exchange_and_cas", 0, exchange_and_cas<uint32_t>},
    {"atomics/exchange_and_cas_u64", k64, exchange_and_cas<uint64_t>},
    {"atomics/shared_histogram", 0, shared_histogram},
};

}  // namespace
}  // namespace vdc
