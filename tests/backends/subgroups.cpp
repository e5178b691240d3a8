// Subgroup operations. Which invocations form a subgroup is the device's business, so the kernel writes down each
// invocation's subgroup and lane, and the test computes the truth from that.
#include <map>

#include "case.h"
#include "code.h"

namespace vdc {
namespace {

constexpr uint32_t kLocal = 128, kWorkgroups = 3, kInvocations = kLocal * kWorkgroups;

struct Lanes {
  std::vector<uint32_t> input, words;                                      // words: kInvocations rows
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> members;  // (group, subgroup) -> invocations by lane
};

// Runs a kernel in which each invocation writes its subgroup id, size, lane and then `results` words.
Lanes run_lanes(Run& run, const char* name, uint32_t results,
                const std::function<void(Code&, Value x, Value lane, std::function<void(Value)> put)>& emit) {
  const uint32_t width = 4 + results;
  Lanes lanes;
  lanes.input.resize(kInvocations);
  for (uint32_t& x : lanes.input) x = static_cast<uint32_t>(run.random() % 100000) + 1;
  Code code(name, VD_BUILDER_NO_EXEC_BOUNDS);
  Value in = code.buffer(VD_TYPE_U32, "input"), out = code.buffer(VD_TYPE_U32, "result");
  Value i = code.let(code.global_id()), base = code.let(i * width),
        lane = code.let(code.builtin(VD_BUILTIN_SUBGROUP_LANE));
  Value x = code.let(in[i]);
  code.store(out[base], code.builtin(VD_BUILTIN_SUBGROUP_ID));
  code.store(out[base + 1], code.builtin(VD_BUILTIN_SUBGROUP_SIZE));
  code.store(out[base + 2], lane);
  code.store(out[base + 3], code.builtin(VD_BUILTIN_NUM_SUBGROUPS));
  uint32_t at = 4;
  emit(code, x, lane, [&](Value v) {
    if (v.type() == VD_TYPE_BOOL) v = code.op(VD_OP_SELECT, {v, code.u32(1), code.u32(0)});
    code.store(out[base + at++], v);
  });
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, kLocal);
  Buffer a = run.session.buffer(lanes.input), b = run.session.buffer(kInvocations * width * 4);
  run.session.launch_workgroups(plan, {kWorkgroups, 1, 1}, {a, b});
  lanes.words = run.session.read<uint32_t>(b, kInvocations * width);
  for (uint32_t k = 0; k < kInvocations; ++k) {
    const uint32_t* w = &lanes.words[k * width];
    auto& member = lanes.members[{k / kLocal, w[0]}];
    if (w[1] == 0 || w[1] > 128 || w[2] >= w[1]) fail("%s: lane %u of a subgroup of %u", name, w[2], w[1]);
    if (w[0] >= w[3]) fail("%s: subgroup %u of %u", name, w[0], w[3]);
    member.resize(w[1], UINT32_MAX);
    if (member[w[2]] != UINT32_MAX) fail("%s: two invocations in lane %u of subgroup %u", name, w[2], w[0]);
    member[w[2]] = k;
  }
  run.report.compared += kInvocations * results;
  return lanes;
}

void reductions(Run& run) {
  const vd_op ops[] = {VD_OP_SUBGROUP_ADD, VD_OP_SUBGROUP_MUL, VD_OP_SUBGROUP_MIN, VD_OP_SUBGROUP_MAX,
                       VD_OP_SUBGROUP_AND, VD_OP_SUBGROUP_OR,  VD_OP_SUBGROUP_XOR};
  const std::function<uint32_t(uint32_t, uint32_t)> folds[] = {
      [](uint32_t a, uint32_t b) { return a + b; },          [](uint32_t a, uint32_t b) { return a * b; },
      [](uint32_t a, uint32_t b) { return std::min(a, b); }, [](uint32_t a, uint32_t b) { return std::max(a, b); },
      [](uint32_t a, uint32_t b) { return a & b; },          [](uint32_t a, uint32_t b) { return a | b; },
      [](uint32_t a, uint32_t b) { return a ^ b; }};
  Lanes lanes = run_lanes(run, "subgroup_reductions", 7, [&](Code& code, Value x, Value, auto put) {
    for (vd_op op : ops) put(code.op(op, {x}));
  });
  for (const auto& [key, member] : lanes.members)
    for (size_t n = 0; n < 7; ++n) {
      uint32_t expected = 0;
      bool first = true;
      for (uint32_t k : member)
        if (k != UINT32_MAX) expected = first ? lanes.input[k] : folds[n](expected, lanes.input[k]), first = false;
      for (uint32_t k : member)
        if (k != UINT32_MAX && lanes.words[k * 11 + 4 + n] != expected)
          fail("subgroup reduction %zu: invocation %u has %u, expected %u", n, k, lanes.words[k * 11 + 4 + n],
               expected);
    }
}

// Integers of another width, each made of the 32-bit input: its low bits, or it in both halves.
template <class T>
void types(Run& run, vd_type type) {
  const vd_op ops[] = {VD_OP_SUBGROUP_ADD, VD_OP_SUBGROUP_MUL, VD_OP_SUBGROUP_MIN, VD_OP_SUBGROUP_MAX,
                       VD_OP_SUBGROUP_AND, VD_OP_SUBGROUP_OR,  VD_OP_SUBGROUP_XOR};
  const std::function<T(T, T)> folds[] = {[](T a, T b) { return static_cast<T>(uint64_t(a) + uint64_t(b)); },
                                          [](T a, T b) { return static_cast<T>(uint64_t(a) * uint64_t(b)); },
                                          [](T a, T b) { return std::min(a, b); },
                                          [](T a, T b) { return std::max(a, b); },
                                          [](T a, T b) { return static_cast<T>(a & b); },
                                          [](T a, T b) { return static_cast<T>(a | b); },
                                          [](T a, T b) { return static_cast<T>(a ^ b); }};
  constexpr uint64_t kSpread = sizeof(T) == 8 ? 0x1000193000001b3u : 40503;
  const auto made = [](uint32_t x) { return static_cast<T>(x * kSpread); };
  // Two words each: what is narrower comes back with its sign.
  const vd_type wide = type == VD_TYPE_I8 || type == VD_TYPE_I16 || type == VD_TYPE_I64 ? VD_TYPE_I64 : VD_TYPE_U64;
  Lanes lanes = run_lanes(run, "subgroup_types", 18, [&](Code& code, Value x, Value, auto put) {
    Value v = code.let(code.convert(code.convert(x, VD_TYPE_U64) * code.literal(VD_TYPE_U64, kSpread), type));
    const auto put_both = [&](Value r) {
      Value bits = code.let(code.op(VD_OP_BITCAST, {code.convert(r, wide)}, VD_TYPE_U32X2));
      put(bits[0u]), put(bits[1u]);
    };
    for (vd_op op : ops) put_both(code.op(op, {v}));
    put_both(code.op(VD_OP_SUBGROUP_SHUFFLE_XOR, {v, code.u32(1)}));
    put_both(code.op(VD_OP_SUBGROUP_BROADCAST_FIRST, {v}));
  });
  for (const auto& [key, member] : lanes.members)
    for (size_t n = 0; n < 9; ++n) {
      T folded = 0;
      bool first = true;
      for (uint32_t k : member)
        if (k != UINT32_MAX && n < 7)
          folded = first ? made(lanes.input[k]) : folds[n](folded, made(lanes.input[k])), first = false;
      for (uint32_t lane = 0; lane < member.size(); ++lane) {
        const uint32_t k = member[lane];
        const uint32_t source = n == 7 ? lane ^ 1 : 0;
        if (k == UINT32_MAX || (n >= 7 && member[source] == UINT32_MAX)) continue;
        const T expected = n < 7 ? folded : made(lanes.input[member[source]]);
        const uint32_t* words = &lanes.words[k * 22 + 4 + 2 * n];
        const uint64_t got = words[0] | uint64_t{words[1]} << 32;
        if (got != static_cast<uint64_t>(expected))
          fail("subgroup operation %zu on %zu bytes: invocation %u has %#llx, expected %#llx", n, sizeof(T), k,
               static_cast<unsigned long long>(got), static_cast<unsigned long long>(expected));
      }
    }
}
void types_8(Run& run) { types<int8_t>(run, VD_TYPE_I8), types<uint8_t>(run, VD_TYPE_U8); }
void types_16(Run& run) { types<int16_t>(run, VD_TYPE_I16), types<uint16_t>(run, VD_TYPE_U16); }
void types_64(Run& run) { types<int64_t>(run, VD_TYPE_I64), types<uint64_t>(run, VD_TYPE_U64); }

// Only the invocations that are active take part.
void divergent_reduction(Run& run) {
  Lanes lanes = run_lanes(run, "subgroup_divergent", 1, [&](Code& code, Value x, Value, auto put) {
    Value r = code.variable(code.u32(0), "r");
    code.begin_if(x % 3 == code.u32(0));
    code.store(r, code.op(VD_OP_SUBGROUP_ADD, {x}));
    code.end();
    put(r);
  });
  for (const auto& [key, member] : lanes.members) {
    uint32_t sum = 0;
    for (uint32_t k : member)
      if (k != UINT32_MAX && lanes.input[k] % 3 == 0) sum += lanes.input[k];
    for (uint32_t k : member)
      if (k != UINT32_MAX) {
        const uint32_t expected = lanes.input[k] % 3 == 0 ? sum : 0, got = lanes.words[k * 5 + 4];
        if (got != expected) fail("divergent subgroup sum: invocation %u has %u, expected %u", k, got, expected);
      }
  }
}

void elect(Run& run) {
  Lanes lanes = run_lanes(run, "subgroup_elect", 1,
                          [&](Code& code, Value, Value, auto put) { put(code.op(VD_OP_SUBGROUP_ELECT, {})); });
  for (const auto& [key, member] : lanes.members) {
    uint32_t elected = 0;
    for (uint32_t k : member)
      if (k != UINT32_MAX) elected += lanes.words[k * 5 + 4];
    if (elected != 1) fail("subgroup %u of group %u elected %u", key.second, key.first, elected);
  }
}

void shuffles(Run& run) {
  Lanes lanes = run_lanes(run, "subgroup_shuffles", 5, [&](Code& code, Value x, Value lane, auto put) {
    put(code.op(VD_OP_SUBGROUP_SHUFFLE, {x, lane ^ code.u32(3)}));
    put(code.op(VD_OP_SUBGROUP_SHUFFLE_XOR, {x, code.u32(1)}));
    put(code.op(VD_OP_SUBGROUP_SHUFFLE_UP, {x, code.u32(2)}));
    put(code.op(VD_OP_SUBGROUP_SHUFFLE_DOWN, {x, code.u32(1)}));
    put(code.op(VD_OP_SUBGROUP_BROADCAST_FIRST, {x}));
  });
  for (const auto& [key, member] : lanes.members)
    for (uint32_t lane = 0; lane < member.size(); ++lane) {
      const uint32_t k = member[lane];
      if (k == UINT32_MAX) continue;
      const uint32_t sources[5] = {lane ^ 3, lane ^ 1, lane - 2, lane + 1, 0};
      for (uint32_t n = 0; n < 5; ++n) {
        if (sources[n] >= member.size() || member[sources[n]] == UINT32_MAX) continue;  // undefined
        const uint32_t expected = lanes.input[member[sources[n]]], got = lanes.words[k * 9 + 4 + n];
        if (got != expected) fail("shuffle %u: lane %u has %u, expected %u", n, lane, got, expected);
      }
    }
}

void votes(Run& run) {
  Lanes lanes = run_lanes(run, "subgroup_votes", 2, [&](Code& code, Value x, Value, auto put) {
    put(code.op(VD_OP_SUBGROUP_ANY, {x > code.u32(95000)}));
    put(code.op(VD_OP_SUBGROUP_ALL, {x < code.u32(95000)}));
  });
  for (const auto& [key, member] : lanes.members) {
    bool any = false, all = true;
    for (uint32_t k : member)
      if (k != UINT32_MAX) any |= lanes.input[k] > 95000, all &= lanes.input[k] < 95000;
    for (uint32_t k : member)
      if (k != UINT32_MAX && (lanes.words[k * 6 + 4] != any || lanes.words[k * 6 + 5] != all))
        fail("votes: invocation %u has %u and %u, expected %d and %d", k, lanes.words[k * 6 + 4],
             lanes.words[k * 6 + 5], any, all);
  }
}

// In straight code, and where only some invocations are active: the bits of the others are 0.
void ballots(Run& run) {
  Lanes lanes = run_lanes(run, "subgroup_ballots", 8, [&](Code& code, Value x, Value, auto put) {
    Value all = code.let(code.op(VD_OP_SUBGROUP_BALLOT, {x % 5 < code.u32(2)}));
    std::vector<Value> some;
    for (uint32_t w = 0; w < 4; ++w) some.push_back(code.variable(code.u32(0), "some"));
    code.begin_if(x % 3 == code.u32(0));
    Value part = code.let(code.op(VD_OP_SUBGROUP_BALLOT, {x % 5 < code.u32(2)}));
    for (uint32_t w = 0; w < 4; ++w) code.store(some[w], part[w]);
    code.end();
    for (uint32_t w = 0; w < 4; ++w) put(all[w]);
    for (uint32_t w = 0; w < 4; ++w) put(some[w]);
  });
  for (const auto& [key, member] : lanes.members) {
    uint32_t all[4] = {}, some[4] = {};
    for (uint32_t lane = 0; lane < member.size(); ++lane) {
      if (member[lane] == UINT32_MAX) continue;
      const uint32_t x = lanes.input[member[lane]], bit = x % 5 < 2 ? 1u << lane % 32 : 0;
      all[lane / 32] |= bit;
      some[lane / 32] |= x % 3 == 0 ? bit : 0;
    }
    for (uint32_t k : member)
      for (uint32_t w = 0; k != UINT32_MAX && w < 4; ++w) {
        const uint32_t* got = &lanes.words[k * 12 + 4];
        const uint32_t expected = lanes.input[k] % 3 == 0 ? some[w] : 0;
        if (got[w] != all[w] || got[4 + w] != expected)
          fail("ballot: invocation %u has %x and %x in word %u, expected %x and %x", k, got[w], got[4 + w], w, all[w],
               expected);
      }
  }
}

// From a lane that the text names, and from one that only the run knows.
void broadcasts(Run& run) {
  Lanes lanes = run_lanes(run, "subgroup_broadcasts", 3, [&](Code& code, Value x, Value, auto put) {
    Value last = code.let(code.op(VD_OP_SUBGROUP_MAX, {code.builtin(VD_BUILTIN_SUBGROUP_LANE)}));
    put(last);
    put(code.op(VD_OP_SUBGROUP_BROADCAST, {x, code.u32(0)}));
    put(code.op(VD_OP_SUBGROUP_BROADCAST, {x, last}));
  });
  for (const auto& [key, member] : lanes.members)
    for (uint32_t k : member) {
      if (k == UINT32_MAX) continue;
      const uint32_t* got = &lanes.words[k * 7 + 4];
      if (got[0] >= member.size() || member[got[0]] == UINT32_MAX)
        fail("invocation %u: lane %u is not there", k, got[0]);
      const uint32_t first = lanes.input[member[0]], last = lanes.input[member[got[0]]];
      if (got[1] != first || got[2] != last)
        fail("broadcast: invocation %u has %u and %u, expected %u and %u", k, got[1], got[2], first, last);
    }
}

constexpr uint64_t kTypes =
    VD_FEATURE_SUBGROUP_BASIC | VD_FEATURE_SUBGROUP_ARITHMETIC | VD_FEATURE_SUBGROUP_SHUFFLE | VD_FEATURE_I64;

[[maybe_unused]] const Register subgroups_registered[] = {
    {"subgroups/reductions", VD_FEATURE_SUBGROUP_BASIC | VD_FEATURE_SUBGROUP_ARITHMETIC, reductions},
    {"subgroups/types_8", kTypes | VD_FEATURE_I8, types_8},
    {"subgroups/types_16", kTypes | VD_FEATURE_I16, types_16},
    {"subgroups/types_64", kTypes, types_64},
    {"subgroups/divergent", VD_FEATURE_SUBGROUP_BASIC | VD_FEATURE_SUBGROUP_ARITHMETIC, divergent_reduction},
    {"subgroups/elect", VD_FEATURE_SUBGROUP_BASIC, elect},
    {"subgroups/shuffles", VD_FEATURE_SUBGROUP_BASIC | VD_FEATURE_SUBGROUP_SHUFFLE, shuffles},
    {"subgroups/ballots", VD_FEATURE_SUBGROUP_BASIC | VD_FEATURE_SUBGROUP_VOTE, ballots},
    {"subgroups/broadcasts", VD_FEATURE_SUBGROUP_BASIC | VD_FEATURE_SUBGROUP_ARITHMETIC | VD_FEATURE_SUBGROUP_SHUFFLE,
     broadcasts},
    {"subgroups/votes", VD_FEATURE_SUBGROUP_BASIC | VD_FEATURE_SUBGROUP_VOTE, votes},
};

}  // namespace
}  // namespace vdc
