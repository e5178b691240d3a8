#include "interpreter.h"

#include <algorithm>

namespace vdc::random {

namespace {

enum class Flow { Next, Break, Continue };

struct Invocation {
  uint32_t index = 0;
  bool past = false;  // past the launch's size: loads zeros and leaves no trace
  std::vector<Data> variables;
  Open open;
};

class Interpreter {
 public:
  Interpreter(const Program& program, const Device& device) : p_(program), device_(device) {
    result_.output = p_.output;
    for (int k = 0; k < 2; ++k) {
      result_.counters[k] = p_.counters[k];
      result_.open_counters[k].assign(kCounters, false);
    }
  }

  Result run() {
    const uint32_t workgroups = (p_.invocations + kLocalSize - 1) / kLocalSize;
    result_.variables.assign(p_.variables.size(), std::vector<Data>(p_.invocations));
    result_.open.assign(p_.invocations, false);
    for (uint32_t group = 0; group < workgroups; ++group) run_group(group);
    return std::move(result_);
  }

 private:
  void run_group(uint32_t group) {
    std::vector<Invocation> all(kLocalSize);
    for (uint32_t k = 0; k < kLocalSize; ++k) {
      all[k].index = group * kLocalSize + k;
      all[k].past = all[k].index >= p_.invocations;
      all[k].variables.resize(p_.variables.size());
    }
    for (const auto& s : p_.body) {
      if (s->what != Statement::What::Exchange) {
        for (Invocation& invocation : all) execute(*s, invocation);
        continue;
      }
      std::vector<Data> shared(kLocalSize);
      std::vector<Open> open(kLocalSize);
      for (uint32_t k = 0; k < kLocalSize; ++k) shared[k] = value(*s->value, all[k]), open[k] = all[k].open;
      for (uint32_t k = 0; k < kLocalSize; ++k) {
        const uint32_t from = (k + s->count) % kLocalSize;
        all[k].variables[s->variable] = shared[from];
        all[k].open.denormal |= open[from].denormal, all[k].open.value |= open[from].value;
      }
    }
    for (const Invocation& invocation : all) {
      if (invocation.past) continue;
      if (is_open(invocation)) open_nested(p_.body);
      result_.open[invocation.index] = is_open(invocation);
      for (size_t v = 0; v < p_.variables.size(); ++v) result_.variables[v][invocation.index] = invocation.variables[v];
    }
  }

  // Counters in blocks that an invocation may have entered elsewhere, since the condition was open.
  void open_nested(const Block& body) {
    for (const auto& s : body)
      for (const Block* block : {&s->then, &s->otherwise}) {
        for (const auto& inner : *block)
          if (inner->what == Statement::What::Atomic)
            result_.open_counters[inner->kind == VD_TYPE_I32][inner->count] = true;
        open_nested(*block);
      }
  }

  bool is_open(const Invocation& i) const { return i.open.value || (i.open.denormal && device_.flushes_denormals); }

  size_t number_of_kind(Kind kind) const {
    return static_cast<size_t>(std::find(p_.kinds.begin(), p_.kinds.end(), kind) - p_.kinds.begin());
  }

  Flow execute(const Block& block, Invocation& i) {
    for (const auto& s : block)
      if (const Flow flow = execute(*s, i); flow != Flow::Next) return flow;
    return Flow::Next;
  }

  Flow execute(const Statement& s, Invocation& i) {
    using What = Statement::What;
    switch (s.what) {
      case What::Assign:
        i.variables[s.variable] = value(*s.value, i);
        break;
      case What::Output: {
        const Data x = value(*s.value, i);
        if (!i.past) result_.output[number_of_kind(s.kind)][i.index] = x;
        break;
      }
      case What::If:
        return execute(value(*s.value, i).re ? s.then : s.otherwise, i);
      case What::Count:
        for (uint32_t k = 0; k < s.count; ++k)
          if (execute(s.then, i) == Flow::Break) break;
        break;
      case What::While:
        for (uint32_t k = 0; k < (value(*s.value, i).re & 3); ++k)
          if (execute(s.then, i) == Flow::Break) break;
        break;
      case What::Break:
        return value(*s.value, i).re ? Flow::Break : Flow::Next;
      case What::Continue:
        return value(*s.value, i).re ? Flow::Continue : Flow::Next;
      case What::Atomic:
        atomic(s, i);
        break;
      case What::Exchange:
        break;  // at the top level alone
    }
    return Flow::Next;
  }

  void atomic(const Statement& s, Invocation& i) {
    constexpr vd_op kPlain[] = {VD_OP_ADD, VD_OP_AND, VD_OP_OR, VD_OP_XOR, VD_OP_MIN, VD_OP_MAX};
    const Data x = value(*s.value, i);
    if (i.past) return;
    const size_t which = s.kind == VD_TYPE_I32;
    const Number operands[] = {{s.kind, result_.counters[which][s.count].re}, {s.kind, x.re}};
    result_.counters[which][s.count].re = evaluate(kPlain[s.count], s.kind, operands, i.open).bits;
    if (is_open(i)) result_.open_counters[which][s.count] = true;
  }

  Data value(const Expression& e, Invocation& i) {
    using What = Expression::What;
    switch (e.what) {
      case What::Constant:
        return e.constant;
      case What::Variable:
        return i.variables[e.variable];
      case What::Input:
        return i.past ? Data{} : p_.input[number_of_kind(e.kind)][i.index];
      case What::Output:
        return i.past ? Data{} : result_.output[number_of_kind(e.kind)][i.index];
      case What::GlobalId:
        return {i.index, 0};
      case What::LocalId:
        return {i.index % kLocalSize, 0};
      case What::Argument:
        return {static_cast<uint32_t>(p_.argument), 0};
      case What::Op:
        break;
    }
    Data x[3];
    for (size_t k = 0; k < e.operands.size(); ++k) x[k] = value(*e.operands[k], i);
    if (e.op == VD_OP_SELECT) return x[0].re ? x[1] : x[2];
    const Kind from = e.operands[0]->kind;
    if (is_complex(from) || is_complex(e.kind)) return complex(e, part_of(from), x, i.open);
    std::vector<Number> operands;
    for (size_t k = 0; k < e.operands.size(); ++k) operands.push_back({e.operands[k]->kind, x[k].re});
    return {computed(e.op, e.kind, operands, i.open).bits, 0};
  }

  Number computed(vd_op op, vd_type type, const std::vector<Number>& operands, Open& open) {
    const Number result = evaluate(op, type, operands, open);
    const bool sums = op == VD_OP_ADD || op == VD_OP_SUB || op == VD_OP_MUL || op == VD_OP_FMA;
    if (device_.llvmpipe && sums && is_float(type) && (is_nan(result) || is_zero(result)))
      open.value |= std::any_of(operands.begin(), operands.end(), is_zero);
    return result;
  }

  Data complex(const Expression& e, vd_type part, const Data* x, Open& open) {
    const auto op = [&](vd_op which, std::initializer_list<uint64_t> bits) {
      std::vector<Number> operands;
      for (const uint64_t b : bits) operands.push_back({part, b});
      const bool compares = which == VD_OP_EQ || which == VD_OP_NE;
      return computed(which, compares ? vd_type{VD_TYPE_BOOL} : part, operands, open).bits;
    };
    const Data a = x[0], b = x[1];
    switch (e.op) {
      case VD_OP_CONSTRUCT:
        return {a.re, b.re};
      case VD_OP_INDEX:
        return {b.re ? a.im : a.re, 0};
      case VD_OP_CONJ:
        return {a.re, op(VD_OP_NEG, {a.im})};
      case VD_OP_NEG:
        return {op(VD_OP_NEG, {a.re}), op(VD_OP_NEG, {a.im})};
      case VD_OP_EQ:
        return {op(VD_OP_EQ, {a.re, b.re}) & op(VD_OP_EQ, {a.im, b.im}), 0};
      case VD_OP_NE:
        return {op(VD_OP_NE, {a.re, b.re}) | op(VD_OP_NE, {a.im, b.im}), 0};
      case VD_OP_MUL:
        return {op(VD_OP_FMA, {a.re, b.re, op(VD_OP_NEG, {op(VD_OP_MUL, {a.im, b.im})})}),
                op(VD_OP_FMA, {a.re, b.im, op(VD_OP_MUL, {a.im, b.re})})};
      default:
        return {op(e.op, {a.re, b.re}), op(e.op, {a.im, b.im})};
    }
  }

  const Program& p_;
  const Device device_;
  Result result_;
};

}  // namespace

Result interpret(const Program& program, const Device& device) { return Interpreter(program, device).run(); }

}  // namespace vdc::random
