// Random well-typed, race-free kernels: expressions, branches and loops over private variables, computed by the device
// and by a direct evaluation here. Floats are `precise` and use only what is correctly rounded, so that results are
// equal, bit for bit. A failure prints the kernel's text form.
#include <bit>
#include <cmath>
#include <cstdio>
#include <memory>

#include "case.h"
#include "code.h"

namespace vdc {
namespace {

enum class Kind { U32, I32, F32 };

vd_type type_of(Kind kind) { return kind == Kind::U32 ? VD_TYPE_U32 : kind == Kind::I32 ? VD_TYPE_I32 : VD_TYPE_F32; }

// Values are kept as bits.
struct State {
  std::vector<uint32_t> variables;
  uint32_t index = 0;
};

struct Expression {
  enum class What { Constant, Variable, Index, Op, Compare, Convert } what = What::Constant;
  Kind kind = Kind::U32;
  uint32_t bits = 0;  // constant, or number of the variable
  vd_op op = VD_OP_NONE;
  std::vector<std::unique_ptr<Expression>> operands;
};
using Tree = std::unique_ptr<Expression>;

float as_float(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }

uint32_t evaluate(const Expression& e, const State& state) {
  switch (e.what) {
    case Expression::What::Constant:
      return e.bits;
    case Expression::What::Variable:
      return state.variables[e.bits];
    case Expression::What::Index:
      return state.index;
    case Expression::What::Convert: {
      const uint32_t x = evaluate(*e.operands[0], state);
      const Kind from = e.operands[0]->kind;
      if (e.kind == Kind::F32)
        return bits_of(from == Kind::I32 ? static_cast<float>(static_cast<int32_t>(x)) : static_cast<float>(x));
      if (from != Kind::F32) return x;
      const float f = as_float(x);
      if (std::isnan(f)) return 0;
      if (e.kind == Kind::U32) return f <= 0 ? 0 : f >= 4294967296.0f ? UINT32_MAX : static_cast<uint32_t>(f);
      return f <= -2147483648.0f  ? 0x80000000u
             : f >= 2147483648.0f ? 0x7fffffffu
                                  : static_cast<uint32_t>(static_cast<int32_t>(f));
    }
    default:
      break;
  }
  uint32_t x[3] = {};
  for (size_t k = 0; k < e.operands.size(); ++k) x[k] = evaluate(*e.operands[k], state);
  const Kind kind = e.operands[e.op == VD_OP_SELECT ? 1 : 0]->kind;
  if (kind == Kind::F32 && e.op != VD_OP_SELECT) {
    const float a = as_float(x[0]), b = as_float(x[1]);
    switch (e.op) {
      case VD_OP_ADD:
        return bits_of(a + b);
      case VD_OP_SUB:
        return bits_of(a - b);
      case VD_OP_MUL:
        return bits_of(a * b);
      case VD_OP_NEG:
        return bits_of(-a);
      case VD_OP_FLOOR:
        return bits_of(std::floor(a));
      case VD_OP_LT:
        return a < b;
      case VD_OP_GE:
        return a >= b;
      default:
        return a == b;
    }
  }
  const bool is_signed = kind == Kind::I32;
  const auto sa = static_cast<int32_t>(x[0]), sb = static_cast<int32_t>(x[1]);
  switch (e.op) {
    case VD_OP_ADD:
      return x[0] + x[1];
    case VD_OP_SUB:
      return x[0] - x[1];
    case VD_OP_MUL:
      return x[0] * x[1];
    case VD_OP_DIV:
      if (x[1] == 0) return x[0];
      if (!is_signed) return x[0] / x[1];
      return sb == -1 ? 0u - x[0] : static_cast<uint32_t>(sa / sb);
    case VD_OP_REM:
      if (x[1] == 0) return 0;
      if (!is_signed) return x[0] % x[1];
      return sb == -1 ? 0 : static_cast<uint32_t>(sa % sb);
    case VD_OP_AND:
      return x[0] & x[1];
    case VD_OP_OR:
      return x[0] | x[1];
    case VD_OP_XOR:
      return x[0] ^ x[1];
    case VD_OP_NEG:
      return 0u - x[0];
    case VD_OP_NOT:
      return ~x[0];
    case VD_OP_SHL:
      return x[0] << (x[1] & 31);
    case VD_OP_SHR:
      return is_signed ? static_cast<uint32_t>(sa >> (x[1] & 31)) : x[0] >> (x[1] & 31);
    case VD_OP_MIN:
      return is_signed ? static_cast<uint32_t>(std::min(sa, sb)) : std::min(x[0], x[1]);
    case VD_OP_MAX:
      return is_signed ? static_cast<uint32_t>(std::max(sa, sb)) : std::max(x[0], x[1]);
    case VD_OP_SELECT:
      return x[0] ? x[1] : x[2];
    case VD_OP_LT:
      return is_signed ? sa < sb : x[0] < x[1];
    case VD_OP_GE:
      return is_signed ? sa >= sb : x[0] >= x[1];
    default:
      return x[0] == x[1];
  }
}

struct Statement {
  enum class What { Assign, If, For, Break, Continue } what = What::Assign;
  uint32_t variable = 0;  // Assign: target; For: where the counter goes; the trip count is in `count`
  uint32_t count = 0;
  Tree value;  // Assign: value; others: condition
  std::vector<std::unique_ptr<Statement>> then, otherwise;
};
using Block = std::vector<std::unique_ptr<Statement>>;

enum class Flow { Next, Break, Continue };

Flow execute(const Block& block, State& state) {
  for (const auto& s : block) switch (s->what) {
      case Statement::What::Assign:
        state.variables[s->variable] = evaluate(*s->value, state);
        break;
      case Statement::What::If:
        if (Flow flow = execute(evaluate(*s->value, state) ? s->then : s->otherwise, state); flow != Flow::Next)
          return flow;
        break;
      case Statement::What::For:
        for (uint32_t k = 0; k < s->count; ++k) {
          state.variables[s->variable] = k;
          if (execute(s->then, state) == Flow::Break) break;
        }
        break;
      case Statement::What::Break:
        if (evaluate(*s->value, state)) return Flow::Break;
        break;
      case Statement::What::Continue:
        if (evaluate(*s->value, state)) return Flow::Continue;
        break;
    }
  return Flow::Next;
}

class Generator {
 public:
  Generator(std::mt19937_64& random, size_t size) : random_(random), budget_(size) {}
  std::vector<Kind> kinds{Kind::U32, Kind::U32, Kind::U32, Kind::I32, Kind::I32, Kind::F32, Kind::F32};

  Block block(int depth, bool in_loop) {
    Block statements;
    for (size_t n = 1 + pick(4); n-- > 0 && budget_ > 0;) {
      --budget_;
      auto s = std::make_unique<Statement>();
      const size_t what = pick(10);
      if (what < 2 && depth > 0) {
        s->what = Statement::What::If, s->value = condition(2);
        s->then = block(depth - 1, in_loop);
        if (pick(2)) s->otherwise = block(depth - 1, in_loop);
      } else if (what == 2 && depth > 0) {
        s->what = Statement::What::For, s->count = static_cast<uint32_t>(pick(6));
        s->variable = static_cast<uint32_t>(pick(3));
        s->then = block(depth - 1, true);
      } else if (what == 3 && in_loop) {
        s->what = pick(2) ? Statement::What::Break : Statement::What::Continue, s->value = condition(1);
      } else {
        s->variable = static_cast<uint32_t>(pick(kinds.size()));
        s->value = expression(kinds[s->variable], 4);
      }
      statements.push_back(std::move(s));
    }
    return statements;
  }

 private:
  size_t pick(size_t n) { return random_() % n; }

  Tree make(vd_op op, Kind kind, Tree a, Tree b = nullptr, Tree c = nullptr) {
    auto e = std::make_unique<Expression>();
    e->what = Expression::What::Op, e->op = op, e->kind = kind;
    for (Tree* t : {&a, &b, &c})
      if (*t) e->operands.push_back(std::move(*t));
    return e;
  }

  Tree leaf(Kind kind) {
    auto e = std::make_unique<Expression>();
    e->kind = kind;
    if (kind == Kind::U32 && pick(5) == 0) {
      e->what = Expression::What::Index;
    } else if (pick(3) == 0) {
      e->bits = kind == Kind::F32 ? bits_of(static_cast<float>(static_cast<int>(pick(41)) - 20) * 0.25f)
                                  : static_cast<uint32_t>(pick(2) ? pick(20) : random_());
    } else {
      e->what = Expression::What::Variable;
      do e->bits = static_cast<uint32_t>(pick(kinds.size()));
      while (kinds[e->bits] != kind);
    }
    return e;
  }

  Tree condition(int depth) {
    const Kind kind = static_cast<Kind>(pick(3));
    const vd_op ops[] = {VD_OP_LT, VD_OP_GE, VD_OP_EQ};
    return make(ops[pick(3)], Kind::U32, expression(kind, depth), expression(kind, depth));
  }

  Tree expression(Kind kind, int depth) {
    if (depth == 0 || pick(5) == 0) return leaf(kind);
    if (pick(8) == 0) {
      auto e = std::make_unique<Expression>();
      e->what = Expression::What::Convert, e->kind = kind;
      const Kind from = static_cast<Kind>((static_cast<size_t>(kind) + 1 + pick(2)) % 3);
      Tree operand = expression(from, depth - 1);
      if (kind == Kind::F32) {
        // Mesa takes int(float(x)) for x, which is so below 2^24 only; ops/convert has the others.
        auto mask = std::make_unique<Expression>();
        mask->kind = from, mask->bits = 0xffffff;
        operand = make(VD_OP_AND, from, std::move(operand), std::move(mask));
      }
      e->operands.push_back(std::move(operand));
      return e;
    }
    if (pick(8) == 0)
      return make(VD_OP_SELECT, kind, condition(depth - 1), expression(kind, depth - 1), expression(kind, depth - 1));
    if (kind == Kind::F32) {
      const vd_op ops[] = {VD_OP_ADD, VD_OP_SUB, VD_OP_MUL, VD_OP_ADD, VD_OP_NEG, VD_OP_FLOOR};
      const size_t k = pick(6);
      return k < 4 ? make(ops[k], kind, expression(kind, depth - 1), expression(kind, depth - 1))
                   : make(ops[k], kind, expression(kind, depth - 1));
    }
    const vd_op ops[] = {VD_OP_ADD, VD_OP_SUB, VD_OP_MUL, VD_OP_DIV, VD_OP_REM, VD_OP_AND, VD_OP_OR,
                         VD_OP_XOR, VD_OP_SHL, VD_OP_SHR, VD_OP_MIN, VD_OP_MAX, VD_OP_NEG, VD_OP_NOT};
    const size_t k = pick(14);
    return k < 12 ? make(ops[k], kind, expression(kind, depth - 1), expression(kind, depth - 1))
                  : make(ops[k], kind, expression(kind, depth - 1));
  }

  std::mt19937_64& random_;
  size_t budget_;
};

class Emitter {
 public:
  Emitter(Code& code, std::vector<Value> variables, Value index)
      : code_(code), variables_(std::move(variables)), index_(index) {}

  Value value(const Expression& e) {
    switch (e.what) {
      case Expression::What::Constant:
        return code_.literal(type_of(e.kind), e.bits);
      case Expression::What::Variable:
        return variables_[e.bits];
      case Expression::What::Index:
        return index_;
      case Expression::What::Convert:
        return code_.convert(value(*e.operands[0]), type_of(e.kind));
      default:
        break;
    }
    std::vector<Value> operands;
    for (const auto& operand : e.operands) operands.push_back(value(*operand));
    return code_.op(e.op, operands, VD_TYPE_NONE, 0, std::source_location::current());
  }

  void block(const Block& statements) {
    for (const auto& s : statements) switch (s->what) {
        case Statement::What::Assign:
          code_.store(variables_[s->variable], value(*s->value));
          break;
        case Statement::What::If:
          code_.begin_if(value(*s->value));
          block(s->then);
          if (!s->otherwise.empty()) code_.begin_else(), block(s->otherwise);
          code_.end();
          break;
        case Statement::What::For: {
          Value k = code_.begin_for(code_.u32(0), code_.u32(s->count), code_.u32(1));
          code_.store(variables_[s->variable], k);
          block(s->then);
          code_.end();
          break;
        }
        case Statement::What::Break:
        case Statement::What::Continue:
          code_.begin_if(value(*s->value));
          code_.op(s->what == Statement::What::Break ? VD_OP_BREAK : VD_OP_CONTINUE, {});
          code_.end();
          break;
      }
  }

 private:
  Code& code_;
  std::vector<Value> variables_;
  Value index_;
};

constexpr uint32_t kCount = 64;

// Builds and runs a program; gives what differs, or "".
std::string difference(Run& run, const Block& program, const std::vector<Kind>& kinds,
                       const std::vector<uint32_t>& input) {
  const auto width = static_cast<uint32_t>(kinds.size());
  Code code("random_kernel", VD_BUILDER_PRECISE);
  Value in = code.buffer(VD_TYPE_U32, "input"), out = code.buffer(VD_TYPE_U32, "result");
  Value i = code.let(code.global_id());
  std::vector<Value> variables;
  for (uint32_t v = 0; v < width; ++v) {
    Value first = in[i * width + v];
    const vd_type type = type_of(kinds[v]);
    variables.push_back(code.variable(type == VD_TYPE_U32 ? first : code.op(VD_OP_BITCAST, {first}, type)));
  }
  Emitter(code, variables, i).block(program);
  for (uint32_t v = 0; v < width; ++v)
    code.store(out[i * width + v],
               kinds[v] == Kind::U32 ? variables[v] : code.op(VD_OP_BITCAST, {variables[v]}, VD_TYPE_U32));
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, 32);
  ++run.report.kernels;
  Buffer a = run.session.buffer(input), b = run.session.buffer(input.size() * 4);
  run.session.launch(plan, {kCount, 1, 1}, {a, b});
  auto got = run.session.read<uint32_t>(b, input.size());
  Blob text, again;
  VDC(vd_kernel_print(kernel, nullptr, text.out()));
  const std::string first = text_of(text);
  for (uint32_t k = 0; k < kCount; ++k) {
    State state{{input.begin() + k * width, input.begin() + (k + 1) * width}, k};
    execute(program, state);
    for (uint32_t v = 0; v < width; ++v) {
      const uint32_t x = got[k * width + v], expected = state.variables[v];
      ++run.report.compared;
      if (x == expected || (kinds[v] == Kind::F32 && std::isnan(as_float(x)) && std::isnan(as_float(expected))))
        continue;
      char line[160];
      std::snprintf(line, sizeof line, "invocation %u, variable %u is %08x, expected %08x; inputs", k, v, x, expected);
      std::string message = line;
      for (uint32_t w = 0; w < width; ++w)
        std::snprintf(line, sizeof line, " %08x", input[k * width + w]), message += line;
      return message + "\n" + first + vd_plan_source(plan, nullptr);
    }
  }
  // The text form reads back to the same kernel.
  Kernel parsed;
  VDC(vd_kernel_parse(first.data(), first.size(), parsed.out()));
  VDC(vd_kernel_print(parsed, nullptr, again.out()));
  return text_of(again) == first ? "" : "the text form does not read back:\n" + first;
}

// Makes a failing program smaller as long as it fails: leaves out statements, takes a block out of its `if` or loop,
// puts an operand of the same kind, or zero, in an expression's place.
class Shrinker {
 public:
  Shrinker(Block& program, std::function<bool()> fails) : program_(program), fails_(std::move(fails)) {}
  void run() {
    for (int round = 0; round < 8 && shrink(program_); ++round) {
    }
  }

 private:
  bool shrink(Block& block) {
    bool any = false;
    for (size_t k = 0; k < block.size();) {
      auto removed = std::move(block[k]);
      block.erase(block.begin() + static_cast<ptrdiff_t>(k));
      if (fails_()) {
        any = true;
        continue;
      }
      block.insert(block.begin() + static_cast<ptrdiff_t>(k), std::move(removed));
      Statement& s = *block[k];
      any |= shrink(s.then);
      any |= shrink(s.otherwise);
      if (s.value) any |= shrink(s.value);
      ++k;
    }
    return any;
  }
  bool shrink(Tree& tree) {
    if (tree->what == Expression::What::Constant) return false;
    for (size_t k = 0; k <= tree->operands.size(); ++k) {
      Tree smaller;
      if (k == tree->operands.size()) {
        smaller = std::make_unique<Expression>();
        smaller->kind = tree->kind;
      } else if (tree->operands[k]->kind == tree->kind && is_number(*tree) && is_number(*tree->operands[k])) {
        smaller = std::move(tree->operands[k]);
      } else {
        continue;
      }
      if (!is_number(*tree)) continue;
      std::swap(tree, smaller);
      if (fails_()) return true;
      std::swap(tree, smaller);
      if (k < tree->operands.size()) tree->operands[k] = std::move(smaller);
    }
    bool any = false;
    for (Tree& operand : tree->operands) any |= shrink(operand);
    return any;
  }
  static bool is_number(const Expression& e) {
    return e.what != Expression::What::Op || (e.op != VD_OP_LT && e.op != VD_OP_GE && e.op != VD_OP_EQ);
  }

  Block& program_;
  std::function<bool()> fails_;
};

void random_kernels(Run& run) {
  for (size_t turn = 0; turn < run.samples(12, 400); ++turn) {
    Generator generator(run.random, 40);
    Block program = generator.block(3, false);
    const size_t width = generator.kinds.size();
    std::vector<uint32_t> input(kCount * width);
    for (size_t k = 0; k < input.size(); ++k)
      input[k] = generator.kinds[k % width] == Kind::F32
                     ? bits_of(static_cast<float>(static_cast<int>(run.random() % 2001) - 1000) * 0.125f)
                     : static_cast<uint32_t>(run.random() >> (run.random() % 32 + 16));
    auto attempt = [&] { return difference(run, program, generator.kinds, input); };
    if (attempt().empty()) continue;
    Shrinker(program, [&] { return !attempt().empty(); }).run();
    fail("random kernel %zu, made smaller: %s", turn, attempt().c_str());
  }
}

[[maybe_unused]] const Register registered("random/kernels", 0, random_kernels);

}  // namespace
}  // namespace vdc
