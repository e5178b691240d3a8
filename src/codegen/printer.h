// Prints statements and expressions of a legal kernel as text, in any language that has a dialect.
//
// A value that is used once is written in place, one that is used twice or in another block is named where it is
// computed. A load is written in place only as long as nothing that could change it comes between; then it is named
// too. Blocks are kept on a stack of our own, so any depth is possible.
#pragma once

#include <string>
#include <vector>

#include "codegen/module.h"
#include "codegen/uses.h"

namespace vd::codegen {

// Spaces of memory as a set.
constexpr uint8_t space_bit(ir::Space s) { return static_cast<uint8_t>(1u << static_cast<uint32_t>(s)); }
inline constexpr uint8_t kEverySpace = 0xff;
inline constexpr uint8_t kPrivateBit = space_bit(ir::Space::Private);
inline constexpr uint8_t kImageBit = 1 << 6;  // the texels of all images

class Printer {
 public:
  explicit Printer(Module& module);

  // Fills module.body, module.declarations, module.needs and module.views.
  void run();
  // The location of each line of the body, for the caller to shift.
  const std::vector<uint32_t>& line_locations() const { return line_locations_; }

 private:
  enum class State : uint8_t { Unset, Free, Pending, Named, Consumed };
  struct Expression {
    std::string text;
    State state = State::Unset;
    Precedence precedence = kPrimary;
    uint8_t depth = 0;
    uint8_t reads = 0;                    // spaces, a bit each
    bool precise = false;                 // must not be contracted with the expression around it
    ir::ValueId variable = ir::kNoValue;  // the private variable that it reads, if it reads nothing else
  };
  // A place in memory: an lvalue; a pointer to scalars and the index of a packed vector there; or consecutive elements.
  struct Lvalue {
    std::string text;
    ir::Type type;
    ir::Space space = ir::Space::Value;
    ir::ValueId base = ir::kNoValue;
    bool packed = false;
    std::string packed_index;
    bool wide = false;       // `text` is a vector of all elements of a wide access
    std::string wide_index;  // else the first element's index; `text` is the array
    bool is_buffer = false;
    uint32_t buffer = 0;  // its argument, and the bytes of an access and from one to the next, where it has an address
    uint64_t size = 0, stride = 0;
    bool cast = false;  // `text` begins with a cast
  };
  struct Frame {
    ir::RegionId region;
    size_t next;
    ir::ValueId owner;
    int part;
    size_t start;    // of the text that opened it, to be taken back
    size_t content;  // where its content began
    size_t start_line;
    bool merged = false;  // an if that continues the else above it: closes without a brace of its own
  };

  // Statements: printer.cpp.
  void step();
  void instruction(ir::ValueId id);
  void finish(Frame frame);
  void open(ir::ValueId owner, int part, const std::string& head);
  void close();
  void take_back(const Frame& frame);
  void statement_if(ir::ValueId id);
  void statement_for(ir::ValueId id);
  void declare_variable(ir::ValueId id);
  std::string zero_loops(ir::Type type, const std::string& name, uint32_t indent);
  void store(ir::ValueId id);
  void atomic(ir::ValueId id);
  void call_statement(ir::ValueId id);
  void fence(ir::ValueId id);
  void print_values(ir::ValueId id);
  void comment(const std::string& text);
  std::string loop_attribute(const ir::Inst& loop);
  void line(std::string_view text);

  // Values: expression.cpp.
  void pure(ir::ValueId id);
  void record_expression(ir::ValueId id, Expression expression, bool free);
  void name(ir::ValueId id);
  std::string name_text(ir::Type type, const std::string& text);
  // Name the pending values that read one of `spaces` (of private ones: only `variable`, if it is known).
  void flush(uint8_t spaces, ir::ValueId variable, ir::ValueId except = ir::kNoValue);
  // The text of an operand, used up; in parentheses if it binds less tightly than `limit`.
  std::string use(ir::ValueId id, Precedence limit, Expression* into);
  const Expression& leaf(ir::ValueId id);
  Expression builtin(vd_builtin which, int component);
  Expression build(ir::ValueId id);
  Expression apply(const Rule& rule, ir::ValueId id, std::string_view lvalue = {});
  Expression component_of(ir::ValueId id);
  Expression swizzle(ir::ValueId id);
  Expression construct(ir::ValueId id);
  Expression image_call(ir::ValueId id);
  Expression image_read(ir::ValueId id);
  Precedence infix_limit(Precedence parent, ir::ValueId operand, bool left);
  const Rule& rule_for(ir::ValueId id);
  bool constant_index(ir::ValueId id, uint64_t& out) const;
  bool is_precise(const ir::Inst& inst) const;
  [[noreturn]] void unsupported(const ir::Inst& inst) const;

  // Memory: place.cpp.
  Expression load(ir::ValueId id);
  // `alone`: a component must not be moved with the rest of its vector, as it may be in a plain load.
  Lvalue resolve(ir::ValueId reference, uint64_t access, Expression* into, bool alone);
  // `element`: as the buffer is seen; `stride`: bytes from one to the next, 0 being its size.
  void see_buffer(Lvalue& lvalue, uint32_t buffer, ir::Type element, bool coherent, uint64_t stride = 0);
  void wide_lvalue(Lvalue& lvalue, ir::Type element, ir::ValueId index, uint64_t access, uint32_t buffer,
                   Expression* into);
  // The index of an element. Where buffers are found by addresses, one of 64 bits comes without its known part, which
  // `known` receives: bytes that are added last, so that a compiler has them in the access's instruction.
  std::string element_index(const Lvalue& array, ir::ValueId index, Precedence limit, Expression* into,
                            uint64_t& known);
  std::string at(const Lvalue& array, const std::string& index, uint64_t known = 0) const;
  // An index within an element of a buffer, or of anything else.
  std::string inner(const Lvalue& lvalue, ir::ValueId index, uint32_t count, Expression* into);
  std::string element_text(const Lvalue& lvalue, uint32_t n) const;
  std::string store_text(const Lvalue& lvalue, const std::string& value, uint64_t access) const;
  std::string load_field(ir::Type type, const std::string& field) const;
  std::string field_component(ir::Type type, const std::string& field, uint32_t component) const;

  const ir::Inst& inst(ir::ValueId id) const { return kernel_.insts[id]; }
  std::span<const ir::ValueId> args(ir::ValueId id) const { return kernel_.operands_of(id); }

  Module& module_;
  const ir::Kernel& kernel_;
  const Dialect& dialect_;
  Uses uses_;
  std::vector<Expression> expressions_;
  std::vector<ir::ValueId> pending_reads_;
  std::vector<Frame> frames_;
  std::string out_;
  std::vector<uint32_t> line_locations_;
  std::vector<std::string> builtin_names_;
  uint32_t indent_ = 1;
  uint32_t location_ = 0;
};

}  // namespace vd::codegen
