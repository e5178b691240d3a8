// State that the printer and the scaffold of a language share while one kernel is printed: names, the types and
// features that turned out to be needed, and the body's text.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/dialect.h"
#include "codegen/names.h"
#include "codegen/print.h"

namespace vd::codegen {

// A buffer seen as another element type: an alias of its own where the language has no pointers.
struct View {
  uint32_t argument;
  ir::Type element;
  bool coherent;
  uint32_t align;  // bytes of whose multiple each access is
  std::string name;
};

// A function of an image argument: what an op of images does, for operands of these types.
struct ImageFunction {
  uint32_t argument;
  ir::Op op;
  ir::Type at;     // none for the size
  ir::Type level;  // none where it is left out
  std::string name;
};

struct ValueMember {
  ir::Type type;
  std::string name;
  uint32_t offset;
};

class Module {
 public:
  Module(const ir::Kernel& kernel, const Dialect& dialect, const Options& options);

  const ir::Kernel& kernel;
  const Dialect& dialect;
  const Options& options;
  Names names;

  std::vector<std::string> arguments;  // names by argument
  std::vector<std::string> memories;   // with Dialect::buffer_offsets: names of the buffers' memory, and of their
                                       // offsets
  std::vector<std::string> offsets;
  std::vector<std::string>
      samplers;  // with Dialect::reads_units: names of the images' samplers, and of one without a filter
  std::string exact_sampler;
  std::string addresses;           // with Dialect::buffer_addresses: of the block, and of its members by argument
  std::vector<std::string> sizes;  // an address has the name of its argument
  std::vector<std::string> shareds;
  std::vector<std::string> structs;
  std::vector<std::vector<std::string>> fields;  // by struct
  std::string values;                            // of the block of values
  std::vector<std::string> shapes;               // members of the block, by argument
  std::string exec_size;
  ValuePlace value_place = ValuePlace::None;
  uint32_t values_binding = 0;
  uint32_t addresses_binding = 0;
  std::array<uint32_t, 3> workgroup_size{};

  mutable std::vector<ir::Type> composites;
  mutable std::vector<std::string> needs;  // extensions and snippets, in order of first use
  std::vector<View> views;
  std::vector<ir::Type> wholes;  // of vectors that Dialect::whole_vector was used on
  std::vector<ImageFunction> image_functions;
  std::map<uint32_t, std::string> constants;  // tables: name by index in kernel.constants
  bool precise = false;                       // some op must not be contracted
  uint32_t dynamic_shared_size = 0;
  std::string declarations;  // variables of the whole kernel
  std::string body;

  // A type's name in this language; records the features that it needs.
  std::string type(ir::Type type) const;
  // "float x[4]".
  std::string declare(ir::Type type, const std::string& name) const;
  // A field of a struct or of the block of values, where every vector is aligned to its scalar.
  std::string declare_field(ir::Type type, const std::string& name) const;
  // The declared type of an element of a buffer or shared array, and the number of them for one element.
  std::string element_type(ir::Type element) const;
  uint32_t scalars_per_element(ir::Type element) const;
  bool packs_element(ir::Type element) const;
  // Vectors, complex and matrix types whose names were used, each after the types that it contains.
  std::vector<ir::Type> composite_types() const;
  // Shared arrays are stored at their offsets in one block of bytes.
  bool shared_is_raw() const;
  // The block of values as a C struct with explicit padding.
  std::string value_struct(const char* name, const char* head, const char* tail) const;
  void need(std::string_view name) const;
  bool needed(std::string_view name) const;
  // The name of the alias of a buffer; the buffer's own where element and coherence are its own.
  // `align`: that of an access to it, 0 being its scalars'.
  const std::string& view(uint32_t argument, ir::Type element, bool coherent, uint32_t align = 0);
  // The buffers by address, in the order of their block.
  std::vector<AddressedBuffer> addressed_buffers() const;
  // The name of a function of an image, whose own name is left out.
  const std::string& image_function(ImageFunction function);
  // A constant of any scalar type from its bits.
  std::string literal(ir::Scalar scalar, uint64_t bits) const;
  // Zero of any type, as an expression.
  std::string zero(ir::Type type) const;
  // The members of the block of values, by offset.
  std::vector<ValueMember> value_members() const;
  // A constant of any type from its bytes in memory.
  std::string constant_text(ir::Type type, const std::byte* bytes) const;
  // The name of the table of a constant array or struct.
  const std::string& constant_table(uint32_t constant);
  // The required snippets, each after those that it uses.
  std::string snippets(std::string_view except = "") const;
  // The text of a location, " (file:line)", or "".
  std::string place(uint32_t location) const;
};

// {name} parts of a template are replaced; the rest is copied.
using Replacement = std::pair<std::string_view, std::string_view>;
std::string fill(const char* text, std::initializer_list<Replacement> replacements);

}  // namespace vd::codegen
