// A program as a kernel, with its arrays and what they hold afterwards.
#include <algorithm>

#include "case.h"
#include "code.h"
#include "interpreter.h"
#include "type_names.h"

namespace vdc::random {

namespace {

class Writer {
 public:
  explicit Writer(const Program& program) : p_(program), code_("random", VD_BUILDER_PRECISE) {}

  std::string run() {
    for (const Kind kind : p_.kinds) {
      input_.push_back(code_.buffer(kind, (std::string("x") + type_name(kind)).c_str()));
      output_.push_back(code_.buffer(kind, (std::string("o") + type_name(kind)).c_str()));
    }
    std::vector<Value> results;
    for (size_t v = 0; v < p_.variables.size(); ++v)
      results.push_back(code_.buffer(stored(p_.variables[v]), ("v" + std::to_string(v)).c_str()));
    counters_[0] = code_.buffer(VD_TYPE_U32, "cu"), counters_[1] = code_.buffer(VD_TYPE_I32, "cs");
    argument_ = code_.constant(VD_TYPE_I32, "ci");
    for (const Kind kind : p_.variables) variables_.push_back(code_.variable(kind));
    index_ = code_.global_id(), local_ = code_.local_id();
    block(p_.body);
    for (size_t v = 0; v < p_.variables.size(); ++v) {
      const bool is_bool = p_.variables[v] == VD_TYPE_BOOL;
      code_.store(results[v][index_], is_bool ? code_.convert(variables_[v], VD_TYPE_U32) : variables_[v]);
    }
    Kernel kernel = code_.finish();
    const std::string text = printed(kernel);
    Kernel again;
    VDC(vd_kernel_parse(text.data(), text.size(), again.out()));
    if (printed(again) != text) fail("the text form does not read back:\n%s", text.c_str());
    return text;
  }

  static Kind stored(Kind kind) { return kind == VD_TYPE_BOOL ? Kind{VD_TYPE_U32} : kind; }

 private:
  static std::string printed(const vd_kernel* kernel) {
    Blob text;
    VDC(vd_kernel_print(kernel, nullptr, text.out()));
    return text_of(text);
  }
  Value& array(std::vector<Value>& arrays, Kind kind) {
    return arrays[static_cast<size_t>(std::find(p_.kinds.begin(), p_.kinds.end(), kind) - p_.kinds.begin())];
  }

  Value value(const Expression& e) {
    using What = Expression::What;
    switch (e.what) {
      case What::Constant:
        return code_.literal(e.kind, e.constant.re);
      case What::Variable:
        return variables_[e.variable];
      case What::Input:
        return array(input_, e.kind)[index_];
      case What::Output:
        return array(output_, e.kind)[index_];
      case What::GlobalId:
        return index_;
      case What::LocalId:
        return local_;
      case What::Argument:
        return argument_;
      case What::Op:
        break;
    }
    std::vector<Value> operands;
    for (const auto& operand : e.operands) operands.push_back(value(*operand));
    const bool typed = e.op == VD_OP_CONVERT || e.op == VD_OP_BITCAST || e.op == VD_OP_CONSTRUCT;
    return code_.op(e.op, operands, typed ? e.kind : Kind{VD_TYPE_NONE}, 0, std::source_location::current());
  }

  void block(const Block& statements) {
    for (const auto& s : statements) statement(*s);
  }

  void statement(const Statement& s) {
    using What = Statement::What;
    switch (s.what) {
      case What::Assign:
        code_.store(variables_[s.variable], value(*s.value));
        break;
      case What::Output:
        code_.store(array(output_, s.kind)[index_], value(*s.value));
        break;
      case What::If:
        code_.begin_if(value(*s.value));
        block(s.then);
        if (!s.otherwise.empty()) code_.begin_else(), block(s.otherwise);
        code_.end();
        break;
      case What::Count:
        code_.begin_for(code_.u32(0), code_.u32(s.count), code_.u32(1));
        block(s.then);
        code_.end();
        break;
      case What::While: {
        // `continue` skips the end of the block, so the count comes first.
        Value count = code_.variable(code_.u32(0));
        code_.begin_while(count < (value(*s.value) & code_.u32(3)));
        code_.store(count, count + 1);
        block(s.then);
        code_.end();
        break;
      }
      case What::Break:
      case What::Continue:
        code_.begin_if(value(*s.value));
        code_.op(s.what == What::Break ? VD_OP_BREAK : VD_OP_CONTINUE, {});
        code_.end();
        break;
      case What::Atomic:
        code_.op(kCounterOps[s.count], {counters_[s.kind == VD_TYPE_I32][s.count], value(*s.value)});
        break;
      case What::Exchange: {
        const Kind kind = p_.variables[s.variable];
        Value shared = code_.shared(kind, kLocalSize, ("shared" + std::to_string(exchanges_++)).c_str());
        code_.store(shared[local_], value(*s.value));
        code_.barrier();
        code_.store(variables_[s.variable], shared[(local_ + s.count) & code_.u32(kLocalSize - 1)]);
        code_.barrier();
        break;
      }
    }
  }

  const Program& p_;
  Code code_;
  std::vector<Value> input_, output_, variables_;
  Value counters_[2], argument_, index_, local_;
  uint32_t exchanges_ = 0;
};

std::vector<uint8_t> bytes_of(Kind kind, const std::vector<Data>& values) {
  const size_t part = bits_of(part_of(kind)) / 8, size = size_of(kind);
  std::vector<uint8_t> bytes(values.size() * size);
  for (size_t i = 0; i < values.size(); ++i) {
    std::memcpy(bytes.data() + i * size, &values[i].re, part);
    if (size > part) std::memcpy(bytes.data() + i * size + part, &values[i].im, part);
  }
  return bytes;
}

std::vector<uint32_t> set_of(const std::vector<bool>& flags) {
  std::vector<uint32_t> set;
  for (uint32_t i = 0; i < flags.size(); ++i)
    if (flags[i]) set.push_back(i);
  return set;
}

}  // namespace

Recorded record(const Program& p, const Device& device) {
  const Result result = interpret(p, device);
  Recorded recorded;
  recorded.text = Writer(p).run();
  recorded.invocations = p.invocations, recorded.workgroup_size = kLocalSize;
  std::vector<uint8_t> argument(4);
  std::memcpy(argument.data(), &p.argument, 4);
  recorded.values.push_back({"ci", VD_TYPE_I32, argument});
  const std::vector<uint32_t> open = set_of(result.open);
  for (size_t k = 0; k < p.kinds.size(); ++k) {
    const Kind kind = p.kinds[k];
    recorded.arrays.push_back({std::string("x") + type_name(kind), kind, bytes_of(kind, p.input[k]), {}, {}});
    recorded.arrays.push_back({std::string("o") + type_name(kind), kind, bytes_of(kind, p.output[k]),
                               bytes_of(kind, result.output[k]), open});
  }
  for (size_t v = 0; v < p.variables.size(); ++v) {
    const Kind kind = Writer::stored(p.variables[v]);
    const std::vector<uint8_t> after = bytes_of(kind, result.variables[v]);
    recorded.arrays.push_back({"v" + std::to_string(v), kind, std::vector<uint8_t>(after.size()), after, open});
  }
  for (int k = 0; k < 2; ++k) {
    const Kind kind = k ? VD_TYPE_I32 : VD_TYPE_U32;
    recorded.arrays.push_back({k ? "cs" : "cu", kind, bytes_of(kind, p.counters[k]), bytes_of(kind, result.counters[k]),
                               set_of(result.open_counters[k])});
  }
  return recorded;
}

}  // namespace vdc::random
