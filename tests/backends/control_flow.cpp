// Statements: branches, loops, break, continue, return, and the rule that expressions are by name.
#include "case.h"
#include "code.h"

namespace vdc {
namespace {

// Runs a kernel `result[i] = f(i, input[i])` on 1000 values and compares with the same in C++.
void compare(Run& run, const char* name, const std::function<void(Code&, Value i, Value x, Value out)>& emit,
             const std::function<uint32_t(uint32_t i, uint32_t x)>& reference, vd_builder_flags flags = 0) {
  constexpr uint32_t kCount = 1000;
  std::vector<uint32_t> input(kCount);
  for (uint32_t& x : input) x = static_cast<uint32_t>(run.random() % 1000);
  Code code(name, flags);
  Value in = code.buffer(VD_TYPE_U32, "input"), result = code.buffer(VD_TYPE_U32, "result");
  Value i = code.let(code.global_id());
  emit(code, i, code.let(in[i]), result[i]);
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel);
  Buffer a = run.session.buffer(input), b = run.session.buffer(kCount * 4);
  VDC(vd_buffer_fill(b, 0, kCount * 4, 0, 0, nullptr, nullptr));
  run.session.launch(plan, {kCount, 1, 1}, {a, b});
  auto got = run.session.read<uint32_t>(b, kCount);
  for (uint32_t k = 0; k < kCount; ++k) {
    ++run.report.compared;
    if (const uint32_t expected = reference(k, input[k]); got[k] != expected)
      fail("%s: element %u of input %u gave %u, expected %u", name, k, input[k], got[k], expected);
  }
}

void branches(Run& run) {
  compare(
      run, "if_else_chain",
      [](Code& c, Value i, Value x, Value out) {
        Value r = c.variable(c.u32(7), "r");
        c.begin_if(x < 100);
        c.store(r, x + 1);
        c.op(VD_OP_ELSE_IF, {x % 2 == c.u32(0)});
        c.begin_if(i % 3 == c.u32(1));
        c.store(r, x * 3);
        c.end();
        c.op(VD_OP_ELSE_IF, {x % 5 == c.u32(0)});
        c.store(r, i);
        c.begin_else();
        c.store(r, r + i);
        c.end();
        c.store(out, r);
      },
      [](uint32_t i, uint32_t x) {
        if (x < 100) return x + 1;
        if (x % 2 == 0) return i % 3 == 1 ? x * 3 : 7u;
        if (x % 5 == 0) return i;
        return 7 + i;
      });
}

void loops(Run& run) {
  compare(
      run, "while_collatz",
      [](Code& c, Value, Value x, Value out) {
        Value n = c.variable(x + 1, "n"), steps = c.variable(c.u32(0), "steps");
        c.begin_while(n > c.u32(1));
        c.begin_if(n % 2 == c.u32(0));
        c.store(n, n / c.u32(2));
        c.begin_else();
        c.store(n, n * 3 + 1);
        c.end();
        c.store(steps, steps + 1);
        c.end();
        c.store(out, steps);
      },
      [](uint32_t, uint32_t x) {
        uint32_t n = x + 1, steps = 0;
        for (; n > 1; ++steps) n = n % 2 == 0 ? n / 2 : n * 3 + 1;
        return steps;
      });
  compare(
      run, "for_break_continue",
      [](Code& c, Value i, Value x, Value out) {
        Value sum = c.variable(c.u32(0), "sum");
        Value k = c.begin_for(c.u32(0), x, c.u32(3));
        c.begin_if(k % 4 == c.u32(1));
        c.op(VD_OP_CONTINUE, {});
        c.end();
        c.begin_if(sum > i + 500);
        c.op(VD_OP_BREAK, {});
        c.end();
        c.store(sum, sum + k);
        c.end();
        c.store(out, sum);
      },
      [](uint32_t i, uint32_t x) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < x; k += 3) {
          if (k % 4 == 1) continue;
          if (sum > i + 500) break;
          sum += k;
        }
        return sum;
      });
  compare(
      run, "nested_loops",
      [](Code& c, Value i, Value x, Value out) {
        Value count = c.variable(c.u32(0), "count");
        Value a = c.begin_for(c.u32(0), x % 13, c.u32(1));
        Value b = c.variable(c.u32(0), "b");
        c.op(VD_OP_LOOP, {});
        c.begin_if(b >= i % 7);
        c.op(VD_OP_BREAK, {});
        c.end();
        c.store(b, b + 1);
        c.begin_if((a + b) % 3 == c.u32(0));
        c.op(VD_OP_CONTINUE, {});
        c.end();
        c.store(count, count + a + 1);
        c.end();
        c.begin_if(count > c.u32(60));
        c.op(VD_OP_BREAK, {});
        c.end();
        c.end();
        c.store(out, count);
      },
      [](uint32_t i, uint32_t x) {
        uint32_t count = 0;
        for (uint32_t a = 0; a < x % 13; ++a) {
          for (uint32_t b = 0; b < i % 7;) {
            ++b;
            if ((a + b) % 3 == 0) continue;
            count += a + 1;
          }
          if (count > 60) break;
        }
        return count;
      });
  compare(
      run, "for_down_signed",
      [](Code& c, Value, Value x, Value out) {
        Value sum = c.variable(c.i32(0), "sum");
        Value k = c.begin_for(c.convert(x % 50, VD_TYPE_I32), c.i32(-5), c.i32(-2));
        c.store(sum, sum * c.i32(3) + k);
        c.end();
        c.store(out, c.op(VD_OP_BITCAST, {sum}, VD_TYPE_U32));
      },
      [](uint32_t, uint32_t x) {
        uint32_t sum = 0;
        for (int32_t k = static_cast<int32_t>(x % 50); k > -5; k -= 2) sum = sum * 3 + static_cast<uint32_t>(k);
        return sum;
      });
  for (uint64_t unroll : {uint64_t{VD_LOOP_FULL}, uint64_t{VD_LOOP_ROLLED}, uint64_t{4}})
    compare(
        run, "unrolled_for",
        [unroll](Code& c, Value i, Value x, Value out) {
          Value sum = c.variable(x, "sum");
          Value k = c.begin_for(c.u32(0), c.u32(11), c.u32(1), unroll);
          c.store(sum, sum * 5 + (k ^ i));
          c.end();
          c.store(out, sum);
        },
        [](uint32_t i, uint32_t x) {
          for (uint32_t k = 0; k < 11; ++k) x = x * 5 + (k ^ i);
          return x;
        });
}

void returns(Run& run) {
  compare(
      run, "early_return",
      [](Code& c, Value i, Value x, Value out) {
        c.store(out, i);
        c.begin_if(x < 300);
        c.op(VD_OP_RETURN, {});
        c.end();
        c.op(VD_OP_LOOP, {});
        c.begin_if(x > c.u32(600));
        c.op(VD_OP_RETURN, {});
        c.end();
        c.op(VD_OP_BREAK, {});
        c.end();
        c.store(out, x * 2);
      },
      [](uint32_t i, uint32_t x) { return x < 300 || x > 600 ? i : x * 2; });
}

// A recipe is evaluated where a statement uses it; LET freezes it.
void by_name(Run& run) {
  compare(
      run, "by_name",
      [](Code& c, Value i, Value x, Value out) {
        Value r = c.variable(x, "r");
        Value later = r + i;  // evaluated below, after the store
        Value now = c.let(r + i);
        c.store(r, c.u32(5));
        c.store(out, later * 1000 + now);
      },
      [](uint32_t i, uint32_t x) { return (5 + i) * 1000 + x + i; });
  compare(
      run, "by_value",
      [](Code& c, Value i, Value x, Value out) {
        Value r = c.variable(x, "r");
        Value now = c.op(VD_OP_LOAD, {r}) + i;  // the load is frozen here
        c.store(r, c.u32(5));
        c.store(out, now);
      },
      [](uint32_t i, uint32_t x) { return x + i; }, VD_BUILDER_BY_VALUE);
}

// A variable that a block declares keeps its last value after it, and is zero where the block never ran.
void scopes(Run& run) {
  compare(
      run, "variable_after_its_block",
      [](Code& c, Value, Value x, Value out) {
        c.begin_if(x > c.u32(500));
        Value inner = c.variable(x * 2, "inner");
        c.end();
        c.store(out, inner + 1);
      },
      [](uint32_t, uint32_t x) { return x > 500 ? x * 2 + 1 : 1; });
  compare(
      run, "variable_anew_each_turn",
      [](Code& c, Value, Value x, Value out) {
        Value sum = c.variable(c.u32(0), "sum");
        Value k = c.begin_for(c.u32(0), x % 9, c.u32(1));
        Value inner = c.variable(VD_TYPE_U32, "inner");
        c.store(inner, inner + k + 1);
        c.store(sum, sum + inner);
        c.end();
        c.store(out, sum);
      },
      [](uint32_t, uint32_t x) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < x % 9; ++k) sum += k + 1;
        return sum;
      });
}

// A function with branches and several returns, inlined twice.
void functions(Run& run) {
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  desc.flags = VD_BUILDER_FUNCTION;
  desc.return_type = VD_TYPE_U32;
  Code f("clip_add", 0, &desc);
  Value p = f.argument(VD_ARGUMENT_VALUE, VD_TYPE_U32, "p"), q = f.argument(VD_ARGUMENT_VALUE, VD_TYPE_U32, "q");
  f.begin_if(p > f.u32(400));
  f.op(VD_OP_RETURN, {q + 1});
  f.end();
  Value k = f.begin_for(f.u32(0), f.u32(10), f.u32(1));
  f.begin_if(p + k == f.u32(205));
  f.op(VD_OP_RETURN, {k * 1000});
  f.end();
  f.end();
  f.op(VD_OP_RETURN, {p + q});
  Kernel function = f.finish();
  const vd_kernel* callee = function;
  auto reference = [](uint32_t p, uint32_t q) {
    if (p > 400) return q + 1;
    for (uint32_t k = 0; k < 10; ++k)
      if (p + k == 205) return k * 1000;
    return p + q;
  };
  auto call = [callee](Code& c, Value a, Value b) {
    vd_value operands[2] = {a.v, b.v};
    Value result{0, &c};
    VDC(vd_builder_call(c.builder(), callee, operands, 2, 0, &result.v));
    return result;
  };
  compare(
      run, "inlined_function",
      [call](Code& c, Value i, Value x, Value out) { c.store(out, call(c, x, i) + call(c, i, call(c, x % 300, i))); },
      [reference](uint32_t i, uint32_t x) { return reference(x, i) + reference(i, reference(x % 300, i)); });
}

[[maybe_unused]] const Register control_flow_registered[] = {
    {"statements/branches", 0, branches}, {"statements/loops", 0, loops},   {"statements/returns", 0, returns},
    {"statements/by_name", 0, by_name},   {"statements/scopes", 0, scopes}, {"statements/functions", 0, functions},
};

}  // namespace
}  // namespace vdc
