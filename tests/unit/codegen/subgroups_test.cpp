// Subgroup operations made of shared memory and barriers against the host's own, on random kernels whose invocations go
// different ways. The host has subgroups of 32, as are emulated here, and in checked mode it reports races and barriers
// that not all invocations reach.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "codegen/legalize/legalize.h"
#include "ir/passes/pipeline.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "ir/walk.h"
#include "support/samples.h"
#include "unit/codegen/kernels.h"
#include "unit/host/support.h"

namespace vd::test {
namespace {

using namespace ir;

constexpr uint32_t kVariables = 4;

// Writes statements at random over a few variables of each invocation.
class RandomKernel {
 public:
  explicit RandomKernel(uint32_t seed, uint32_t invocations) : random_(seed) {
    d_.kernel.attributes.workgroup_size = {invocations, 1, 1};
    in_ = d_.buffer(kU32, "in");
    out_ = d_.buffer(kU32, "out");
    uniform_ = d_.value(kU32, "uniform");
    const ValueId i = d_.gid();
    for (uint32_t v = 0; v < kVariables; ++v)
      variables_.push_back(e_.var(d_.get(in_, e_.add(e_.mul(i, d_.u(kVariables)), d_.u(v)))));
    // Variables that are the same everywhere until some invocations alone store to them.
    for (ValueId& variable : alike_) variable = e_.var(e_.add(e_.load(uniform_), d_.u(pick(3))));
    statements(3, 5);
    d_.set(out_, e_.mul(i, d_.u(kVariables)), e_.add(e_.load(alike_[0]), e_.load(alike_[1])));
    for (uint32_t v = 1; v < kVariables; ++v)
      d_.set(out_, e_.add(e_.mul(i, d_.u(kVariables)), d_.u(v)), e_.load(variables_[v]));
  }
  Kernel take() { return d_.take(); }

 private:
  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  ValueId variable() { return variables_[pick(kVariables)]; }
  ValueId value() {
    switch (pick(5)) {
      case 0:
        return d_.u(pick(9));
      case 1:
        return d_.lid();
      case 2:
        // Older values cross the boundaries of pieces; values of this block and of those around it are accessible.
        if (!values_.empty()) return values_[pick(static_cast<uint32_t>(values_.size()))];
        [[fallthrough]];
      default:
        return e_.load(variable());
    }
  }
  ValueId condition() {
    const Op compare[] = {VD_OP_LT, VD_OP_EQ, VD_OP_GE};
    const ValueId left = pick(5) == 0   ? e_.load(uniform_)
                         : pick(3) == 0 ? e_.emit(VD_OP_REM, e_.load(alike_[pick(2)]), d_.u(4))
                                        : e_.emit(VD_OP_REM, value(), d_.u(2 + pick(5)));
    return e_.emit(compare[pick(3)], left, d_.u(pick(4)));
  }
  ValueId computed() {
    const Op ops[] = {VD_OP_ADD, VD_OP_MUL, VD_OP_XOR, VD_OP_SUB};
    const ValueId result = e_.emit(ops[pick(4)], value(), value());
    values_.push_back(result);
    return result;
  }
  ValueId exchanged() {
    const Op reductions[] = {VD_OP_SUBGROUP_ADD, VD_OP_SUBGROUP_MUL, VD_OP_SUBGROUP_MIN, VD_OP_SUBGROUP_MAX,
                             VD_OP_SUBGROUP_AND, VD_OP_SUBGROUP_OR,  VD_OP_SUBGROUP_XOR};
    ValueId result;
    switch (pick(8)) {
      case 6:
        result = e_.at(e_.emit(VD_OP_SUBGROUP_BALLOT, condition()), 0);
        break;
      case 7:
        // A lane that is active, the same for all.
        result = e_.emit(VD_OP_SUBGROUP_BROADCAST, value(),
                         e_.emit(VD_OP_SUBGROUP_MIN, e_.builtin(VD_BUILTIN_SUBGROUP_LANE)));
        break;
      case 0:
        result = e_.select(e_.emit(VD_OP_SUBGROUP_ANY, condition()), d_.u(3), value());
        break;
      case 1:
        result = e_.select(e_.emit(VD_OP_SUBGROUP_ALL, condition()), d_.u(5), value());
        break;
      case 2:
        result = e_.emit(VD_OP_SUBGROUP_BROADCAST_FIRST, value());
        break;
      case 3:
        // The number of elected lanes among the active ones: one.
        result = e_.emit(VD_OP_SUBGROUP_ADD, e_.select(e_.emit(VD_OP_SUBGROUP_ELECT, Type(), {}), d_.u(1), d_.u(0)));
        break;
      default:
        result = e_.emit(reductions[pick(7)], value());
    }
    values_.push_back(result);
    return result;
  }

  void statements(uint32_t depth, uint32_t count) {
    const size_t outside = values_.size();
    for (uint32_t i = 0; i < count; ++i)
      if (!statement(depth)) break;
    values_.resize(outside);
  }
  // False after a jump.
  bool statement(uint32_t depth) {
    switch (pick(depth == 0 ? 5 : 9)) {
      case 0:
      case 1:
        e_.store(variable(), exchanged());
        return true;
      case 2:
        // An element of a buffer of one's own, by a reference that may be used further on.
        d_.set(out_, e_.add(e_.mul(d_.gid(), d_.u(kVariables)), d_.u(pick(kVariables))), value());
        return true;
      case 3:
        if (pick(3) == 0) return e_.store(alike_[0], e_.add(e_.load(alike_[pick(2)]), d_.u(1))), true;
        if (pick(8) == 0) return e_.store(alike_[1], value()), true;
        if (pick(3) != 0) return e_.store(variable(), computed()), true;
        if (loops_ > 0 && pick(2) == 0) return e_.emit(VD_OP_BREAK, Type(), {}), false;
        if (loops_ > 0) return e_.emit(VD_OP_CONTINUE, Type(), {}), false;
        if (depth < 3 && pick(3) == 0) return e_.emit(VD_OP_RETURN, Type(), {}), false;
        return true;
      case 4:
        e_.emit(VD_OP_SUBGROUP_BARRIER, Type(), {});
        return true;
      case 5:
      case 6:
        e_.begin_if(condition());
        statements(depth - 1, 3);
        if (pick(2) == 0) {
          e_.begin_else();
          statements(depth - 1, 2);
        }
        e_.end();
        return true;
      case 7: {
        const ValueId turns = pick(2) == 0 ? d_.u(1 + pick(3)) : e_.emit(VD_OP_REM, value(), d_.u(4));
        const ValueId counter = e_.begin_for(d_.u(0), turns, d_.u(1));
        values_.push_back(counter);
        ++loops_;
        statements(depth - 1, 3);
        --loops_;
        values_.pop_back();
        e_.end();
        return true;
      }
      default: {
        // At most four iterations, whatever the body does.
        const ValueId left = e_.var(d_.u(4));
        e_.begin_while();
        const ValueId n = e_.load(left);
        e_.store(left, e_.sub(n, d_.u(1)));
        const ValueId more = e_.emit(VD_OP_LAND, e_.emit(VD_OP_GT, n, d_.u(0)), condition());
        e_.begin_body(more);
        ++loops_;
        statements(depth - 1, 3);
        --loops_;
        e_.end();
        return true;
      }
    }
  }

  std::mt19937 random_;
  Draft d_;
  Emitter& e_ = d_.e;
  ValueId in_, out_, uniform_;
  std::array<ValueId, 2> alike_{};
  std::vector<ValueId> variables_, values_;
  uint32_t loops_ = 0;
};

std::vector<uint32_t> run(host::test::Host& host, const Kernel& kernel, const std::vector<uint32_t>& input) {
  const auto module = host.device().make_module({&kernel, nullptr, kernel.attributes.workgroup_size, "test"});
  const auto in = host.buffer(input);
  const auto out = host.buffer(std::vector<uint32_t>(input.size()));
  host.run(*module, {2, 1, 1}, {in.get(), out.get()}, host::test::pack(uint32_t{1}));
  return host.read<uint32_t>(*out);
}

void compare(uint32_t seed, uint32_t invocations) {
  const Kernel original = RandomKernel(seed, invocations).take();
  verify(original);
  const Kernel legal = codegen::emulate_subgroups(original, 32);
  ASSERT_NO_THROW(verify(legal)) << seed << print_text(original) << print_text(legal);
  for_each_inst(legal, [&](ValueId, const Inst& inst) { EXPECT_FALSE(is_lane_exchange(inst.op)); });
  std::mt19937 random(seed);
  std::vector<uint32_t> input(2 * invocations * kVariables);
  for (uint32_t& x : input) x = random() % 3 == 0 ? static_cast<uint32_t>(random()) : random() % 8;
  host::test::Host plain;
  backends::DeviceOptions options;
  options.flags = VD_CONTEXT_CHECKED;
  host::test::Host checked(options);
  const auto before = run(plain, original, input);
  std::vector<uint32_t> after;
  try {
    after = run(checked, legal, input);
  } catch (const Error& error) {
    FAIL() << "seed " << seed << ": " << error.what() << print_text(original) << print_text(legal);
  }
  ASSERT_EQ(before, after) << "seed " << seed << ", " << invocations << " threads\n" << print_text(original);
}

TEST(EmulatedSubgroups, KeepTheMeaningOfRandomKernels) {
  for (uint32_t seed = 0; seed < vd::test::samples(150, 2000); ++seed) {
    compare(seed, 64);
    if (HasFatalFailure()) return;
  }
}

TEST(EmulatedSubgroups, MayHaveAShortLastOne) {
  for (uint32_t seed = 1000; seed < 1000 + vd::test::samples(50, 500); ++seed) {
    compare(seed, seed % 2 == 0 ? 75 : 20);
    if (HasFatalFailure()) return;
  }
}

// A ballot of more lanes than a word has bits, where all are active and where some are.
TEST(EmulatedSubgroups, BallotsOfManyLanesTakeSeveralWords) {
  constexpr uint32_t kThreads = 160;
  for (const uint32_t lanes : {16u, 64u, 128u}) {
    Draft d;
    Emitter& e = d.e;
    d.kernel.attributes.workgroup_size = {kThreads, 1, 1};
    const ValueId in = d.buffer(kU32, "in"), out = d.buffer(kU32, "out");
    d.value(kU32, "unused");
    const ValueId i = d.gid(), x = d.get(in, i);
    const ValueId odd = e.emit(VD_OP_EQ, e.emit(VD_OP_AND, x, d.u(1)), d.u(1));
    const auto put = [&](ValueId ballot, uint32_t first) {
      for (uint32_t w = 0; w < 4; ++w) d.set(out, e.add(e.mul(i, d.u(8)), d.u(first + w)), e.at(ballot, w));
    };
    put(e.emit(VD_OP_SUBGROUP_BALLOT, odd), 0);
    e.begin_if(e.emit(VD_OP_LT, x, d.u(1u << 31)));
    put(e.emit(VD_OP_SUBGROUP_BALLOT, odd), 4);
    e.end();
    const Kernel legal = codegen::emulate_subgroups(d.take(), lanes);
    verify(legal);

    std::mt19937 random(lanes);
    std::vector<uint32_t> input(kThreads * 8);
    for (uint32_t& v : input) v = static_cast<uint32_t>(random());
    host::test::Host host;
    const auto module = host.device().make_module({&legal, nullptr, legal.attributes.workgroup_size, "test"});
    const auto from = host.buffer(input), to = host.buffer(std::vector<uint32_t>(input.size()));
    host.run(*module, {1, 1, 1}, {from.get(), to.get()}, host::test::pack(uint32_t{1}));
    const auto got = host.read<uint32_t>(*to);
    for (uint32_t k = 0; k < kThreads; ++k) {
      uint32_t all[4] = {}, some[4] = {};
      for (uint32_t other = k / lanes * lanes; other < std::min(kThreads, (k / lanes + 1) * lanes); ++other) {
        const uint32_t lane = other % lanes, bit = (input[other] & 1) << lane % 32;
        all[lane / 32] |= bit;
        some[lane / 32] |= input[other] < 1u << 31 ? bit : 0;
      }
      for (uint32_t w = 0; w < 4; ++w) {
        EXPECT_EQ(got[k * 8 + w], all[w]) << lanes << " lanes, invocation " << k;
        EXPECT_EQ(got[k * 8 + 4 + w], input[k] < 1u << 31 ? some[w] : 0) << lanes << " lanes, invocation " << k;
      }
    }
  }
}

// Control flow that the workgroup shares stays as it is.
TEST(EmulatedSubgroups, LeaveUniformLoopsAlone) {
  Draft d;
  d.kernel.attributes.workgroup_size = {64, 1, 1};
  const ValueId x = d.buffer(kU32, "x"), n = d.value(kU32, "n");
  const ValueId sum = d.e.var(d.get(x, d.gid()));
  d.e.begin_for(d.u(0), d.e.load(n), d.u(1));
  d.e.store(sum, d.e.emit(VD_OP_SUBGROUP_ADD, d.e.load(sum)));
  d.e.end();
  d.set(x, d.gid(), d.e.load(sum));
  const Kernel legal = codegen::emulate_subgroups(d.take(), 32);
  verify(legal);
  uint32_t ifs = 0;
  for_each_inst(legal, [&](ValueId, const Inst& inst) { ifs += inst.op == VD_OP_IF ? 1 : 0; });
  EXPECT_EQ(ifs, 0u) << print_text(legal);
}

TEST(EmulatedSubgroups, ChangeNothingElsewhere) {
  const Kernel original = RandomKernel(3, 64).take();
  EXPECT_EQ(print_text(codegen::emulate_subgroups(original, 0)), print_text(original));
}

}  // namespace
}  // namespace vd::test
