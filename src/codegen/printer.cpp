// Statements. codegen/expression.cpp has the other half of the class.
#include "codegen/printer.h"

#include <cctype>
#include <string_view>

#include "core/error.h"
#include "ir/op.h"

namespace vd::codegen {

using namespace ir;

Printer::Printer(Module& module)
    : module_(module),
      kernel_(module.kernel),
      dialect_(module.dialect),
      uses_(module.kernel),
      expressions_(module.kernel.insts.size()) {}

void Printer::run() {
  // The user's names come first, so that none of ours takes one.
  for (RegionId region : regions_in_order(kernel_))
    for (ValueId id : kernel_.regions[region].insts)
      if (inst(id).op == VD_OP_VAR) {
        const bool named = id < kernel_.names.size() && !kernel_.names[id].empty();
        Expression& e = expressions_[id];
        e.text = module_.names.unique(named ? kernel_.names[id] : "", "var");
        e.state = State::Named;
      }
  frames_.push_back({kernel_.body, 0, kNoValue, 0, 0, 0, 0, false});
  while (!frames_.empty()) step();
  module_.body = std::move(out_);
}

void Printer::step() {
  Frame& frame = frames_.back();
  const auto& insts = kernel_.regions[frame.region].insts;
  if (frame.next < insts.size()) {
    const ValueId id = insts[frame.next++];
    location_ = inst(id).location;
    instruction(id);
    return;
  }
  const Frame done = frame;
  frames_.pop_back();
  if (done.owner != kNoValue) finish(done);
}

void Printer::line(std::string_view text) {
  out_.append(indent_ * 4, ' ');
  out_ += text;
  out_ += '\n';
  line_locations_.push_back(location_);
}

void Printer::open(ValueId owner, int part, const std::string& head) {
  const size_t start = out_.size(), start_line = line_locations_.size();
  line(head);
  ++indent_;
  frames_.push_back(
      {inst(owner).regions[static_cast<size_t>(part)], 0, owner, part, start, out_.size(), start_line, false});
}

void Printer::close() {
  --indent_;
  line("}");
}

void Printer::take_back(const Frame& frame) {
  out_.resize(frame.start);
  line_locations_.resize(frame.start_line);
  --indent_;
}

void Printer::finish(Frame frame) {
  const Inst& owner = inst(frame.owner);
  location_ = owner.location;
  if (owner.op == VD_OP_WHILE && frame.part == 0) {
    const std::string condition = use(args(frame.owner)[0], kAny, nullptr);
    if (out_.size() == frame.content) {
      take_back(frame);
      open(frame.owner, 1, loop_attribute(owner) + "while (" + condition + ") {");
    } else {
      line("if (!(" + condition + ")) break;");
      frames_.push_back({owner.regions[1], 0, frame.owner, 1, frame.start, out_.size(), frame.start_line, false});
    }
    pending_reads_.clear();
    return;
  }
  flush(kEverySpace, kNoValue);
  if (owner.op == VD_OP_IF && frame.part == 0 && owner.regions[1] != kNoRegion &&
      !kernel_.regions[owner.regions[1]].insts.empty()) {
    --indent_;
    open(frame.owner, 1, "} else {");
    return;
  }
  if (!frame.merged) close();
}

std::string Printer::loop_attribute(const Inst& loop) {
  const uint64_t count = plain_immediate(loop.immediate) & 0xffff;
  std::string text;
  if (count == VD_LOOP_FULL && dialect_.unroll_full)
    text = dialect_.unroll_full;
  else if (count == VD_LOOP_ROLLED && dialect_.unroll_never)
    text = dialect_.unroll_never;
  else if (count > 1 && count != VD_LOOP_FULL && dialect_.unroll_count)
    text = fill(dialect_.unroll_count, {{"0", std::to_string(count)}});
  if (text.empty()) return text;
  if (dialect_.unroll_needs) module_.need(dialect_.unroll_needs);
  if (text.back() != '\n') return text + ' ';
  text.pop_back();
  line(text);
  return "";
}

void Printer::instruction(ValueId id) {
  const Inst& i = inst(id);
  switch (i.op) {
    case VD_OP_VAR:
      return declare_variable(id);
    case VD_OP_STORE:
      return store(id);
    case VD_OP_IF:
      return statement_if(id);
    case VD_OP_WHILE:
      flush(kEverySpace, kNoValue);
      return open(id, 0, "while (true) {");
    case VD_OP_LOOP:
      flush(kEverySpace, kNoValue);
      return open(id, 1, loop_attribute(i) + "while (true) {");
    case VD_OP_FOR:
      return statement_for(id);
    case VD_OP_SCOPE:
      flush(kEverySpace, kNoValue);
      return open(id, 0, "{");
    case VD_OP_BREAK:
      return line("break;");
    case VD_OP_CONTINUE:
      return line("continue;");
    case VD_OP_RETURN:
      return line(args(id).empty() ? "return;" : "return " + use(args(id)[0], kAny, nullptr) + ";");
    case VD_OP_COMMENT:
      return comment(kernel_.strings[inst(args(id)[0]).immediate]);
    case VD_OP_BARRIER:
    case VD_OP_SUBGROUP_BARRIER:
    case VD_OP_CLUSTER_BARRIER:
    case VD_OP_ASYNC_COMMIT:
    case VD_OP_ASYNC_WAIT:
    case VD_OP_ASYNC_COPY:
      return call_statement(id);
    case VD_OP_PRINTF:
      return print_values(id);
    case VD_OP_FENCE:
      return fence(id);
    case VD_OP_IMAGE_STORE: {
      const Expression call = image_call(id);
      flush(kImageBit, kNoValue);
      return line(call.text + ";");
    }
    default:
      break;
  }
  if (is_atomic(i.op) || i.op == VD_OP_CLUSTER_LOAD) return atomic(id);
  if (i.type.is_reference()) return;  // resolved where it is used
  if (op_info(i.op).has(kStatement)) unsupported(i);
  pure(id);
}

void Printer::statement_if(ValueId id) {
  flush(kEverySpace, kNoValue, args(id)[0]);
  const std::string head = "if (" + use(args(id)[0], kAny, nullptr) + ") {";
  Frame& frame = frames_.back();
  const bool continues = frame.owner != kNoValue && inst(frame.owner).op == VD_OP_IF && frame.part == 1 &&
                         out_.size() == frame.content && frame.next == kernel_.regions[frame.region].insts.size();
  if (continues) {
    take_back(frame);
    frame.merged = true;
    return open(id, 0, "} else " + head);
  }
  open(id, 0, head);
}

void Printer::statement_for(ValueId id) {
  const Inst& i = inst(id);
  const auto operands = args(id);
  flush(kEverySpace, kNoValue, operands[0]);
  const std::string start = use(operands[0], kAny, nullptr);
  const std::string stop = use(operands[1], kShift, nullptr), step = use(operands[2], kAny, nullptr);
  std::string counter = id < kernel_.names.size() ? kernel_.names[id] : std::string();
  counter = module_.names.unique(counter.empty() ? "i" : counter);
  Expression& e = expressions_[id];
  e.text = counter;
  e.state = State::Named;

  std::string test = counter + " < " + stop;
  uint64_t bits = 0;
  if (i.type.is_signed()) {
    const bool known = constant_index(operands[2], bits);
    if (!known)
      test = "(" + step + " > 0 ? " + counter + " < " + stop + " : " + counter + " > " + stop + ")";
    else if (static_cast<int64_t>(bits) < 0)
      test = counter + " > " + stop;
  }
  const std::string attribute = loop_attribute(i);
  open(id, 1,
       attribute + "for (" + module_.declare(i.type, counter) + " = " + start + "; " + test + "; " + counter +
           " += " + step + ") {");
}

void Printer::declare_variable(ValueId id) {
  const Type type = inst(id).type.value();
  const bool hoist = uses_.of[id].hoist;
  const std::string& name = expressions_[id].text;
  const std::string declaration = module_.declare(type, name);
  if (type.is_array()) {
    if (hoist) {
      module_.declarations += "    " + declaration + ";\n" + zero_loops(type, name, 1);
    } else {
      line(declaration + ";");
    }
    if (!args(id).empty() && inst(args(id)[0]).op != VD_OP_ZERO)
      return line(name + " = " + use(args(id)[0], kAny, nullptr) + ";");
    std::string loops = zero_loops(type, name, indent_);
    for (char c : loops)
      if (c == '\n') line_locations_.push_back(location_);
    out_ += loops;
    return;
  }
  const std::string value = args(id).empty() ? module_.zero(type) : use(args(id)[0], kAny, nullptr);
  if (!hoist) return line(declaration + " = " + value + ";");
  module_.declarations += "    " + declaration + " = " + module_.zero(type) + ";\n";
  line(name + " = " + value + ";");
}

std::string Printer::zero_loops(Type type, const std::string& name, uint32_t indent) {
  std::string text, element = name;
  uint32_t depth = 0;
  for (; type.is_array(); ++depth) {
    const auto& array = kernel_.types.get_array(type);
    const std::string k = module_.names.unique("k");
    text.append((indent + depth) * 4, ' ');
    text += "for (int " + k + " = 0; " + k + " < " + std::to_string(array.count) + "; ++" + k + ")\n";
    element += "[" + k + "]";
    type = array.element;
  }
  text.append((indent + depth) * 4, ' ');
  return text + element + " = " + module_.zero(type) + ";\n";
}

void Printer::store(ValueId id) {
  const Inst& i = inst(id);
  const uint32_t width = access_width(i.immediate);
  Lvalue lvalue = resolve(args(id)[0], i.immediate, nullptr, true);
  const std::string value = use(args(id)[1], kAny, nullptr);
  const Type reference = inst(args(id)[0]).type;
  flush(space_bit(reference.space()), reference.space() == Space::Private ? lvalue.base : kNoValue);
  if (width > 1 && !lvalue.wide) {
    // Without wide accesses, one scalar after the other.
    const std::string vector = name_text(inst(args(id)[1]).type, value);
    for (uint32_t c = 0; c < width; ++c) {
      const char component[] = {"xyzw"[c], 0};
      line(element_text(lvalue, c) + " = " + fill(dialect_.component, {{"0!", vector}, {"c", component}}) + ";");
    }
    return;
  }
  line(store_text(lvalue, value, i.immediate));
}

void Printer::atomic(ValueId id) {
  const Inst& i = inst(id);
  Lvalue lvalue = resolve(args(id)[0], 0, nullptr, true);
  const Expression call = apply(rule_for(id), id, lvalue.text);
  flush(space_bit(inst(args(id)[0]).type.space()), kNoValue);
  if (i.type.none() || uses_.of[id].count == 0) return line(call.text + ";");
  expressions_[id] = call;
  name(id);
}

void Printer::call_statement(ValueId id) {
  const Inst& i = inst(id);
  std::string text;
  if (i.op == VD_OP_ASYNC_COPY) {
    const Rule& rule = rule_for(id);
    const std::string to = resolve(args(id)[0], 0, nullptr, true).text;
    const std::string from = resolve(args(id)[1], 0, nullptr, true).text;
    text = fill(rule.text, {{"0", to}, {"1", from}, {"i", std::to_string(plain_immediate(i.immediate))}});
  } else {
    text = fill(rule_for(id).text, {{"i", std::to_string(plain_immediate(i.immediate))}});
  }
  flush(kEverySpace & ~kPrivateBit, kNoValue);
  line(text + ";");
}

void Printer::fence(ValueId id) {
  const uint64_t bits = plain_immediate(inst(id).immediate);
  const uint64_t spaces = bits >> 8 & 0xf;
  const size_t scope = std::min<size_t>(bits >> 4 & 0xf, 4);
  const size_t space = spaces == 1 ? 1 : spaces == 2 ? 2 : spaces == 4 ? 3 : 0;
  flush(kEverySpace & ~kPrivateBit, kNoValue);
  line(std::string(dialect_.fences[scope][space]) + ";");
}

void Printer::print_values(ValueId id) {
  if (dialect_.printf_needs) module_.need(dialect_.printf_needs);
  const auto operands = args(id);
  std::string call = std::string(dialect_.printf) + "(\"";
  const std::string& format = kernel_.strings[inst(operands[0]).immediate];
  size_t value = 0;            // that the running conversion prints
  bool in_conversion = false;  // behind its %
  for (size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    if (in_conversion) {
      // The length of a value follows from its type, and each language has its own letters for it.
      if (std::string_view("hlLqjzt").find(c) != std::string_view::npos) continue;
      if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
        const Type type = inst(operands[value]).type;
        if (type.is_integer() && scalar_size(type.scalar()) == 8) call += dialect_.printf_long;
        in_conversion = false;
      }
    } else if (c == '%' && i + 1 < format.size()) {
      if (format[i + 1] == '%') {
        call += format[i++];
      } else {
        in_conversion = true;
        ++value;
      }
    }
    if (c == '\n')
      call += "\\n";
    else if (c == '\t')
      call += "\\t";
    else if (c == '"' || c == '\\')
      (call += '\\') += c;
    else if (static_cast<unsigned char>(c) >= ' ')
      call += c;
  }
  call += '"';
  for (size_t i = 1; i < operands.size(); ++i) call += ", " + use(operands[i], kAny, nullptr);
  line(call + ");");
}

void Printer::comment(const std::string& text) {
  size_t begin = 0;
  while (begin <= text.size()) {
    size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    std::string one = text.substr(begin, end - begin);
    for (char& c : one)
      if (static_cast<unsigned char>(c) < ' ') c = ' ';
    // A backslash at the end, or the trigraph for one, would continue the comment on the next line.
    if (one.ends_with('\\')) one += '.';
    for (size_t at = one.find("?"
                              "?");
         at != std::string::npos; at = one.find("?"
                                                "?",
                                                at))
      one.insert(at + 1, " ");
    line(one.empty() ? "//" : "// " + one);
    begin = end + 1;
  }
}

}  // namespace vd::codegen
