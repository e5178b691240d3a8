// The differences between the languages, as data. The printer (codegen/printer.h) has no test for a language: it looks
// up a rule here and fills in its template. Constructs that a language lacks were rewritten before (codegen/legalize).
//
// Templates: {0} {1} {2} are operands, {T} the result's type, {A} operand 0's type, {S} the result's scalar, {n} its
// number of components, {U} its unsigned kin, {P} the place of an atomic, {q} its space's qualifier. An operand in an
// infix template gets parentheses where its own operator binds less tightly; inside a call it never does; "{0!}" always
// gets them unless it is a primary.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "codegen/print.h"
#include "ir/kernel.h"

namespace vd::codegen {

class Module;
struct ImageFunction;

// Precedence of an expression's outermost operator, as in C.
enum Precedence : uint8_t {
  kPrimary,
  kUnary,
  kProduct,
  kSum,
  kShift,
  kRelation,
  kEquality,
  kBitAnd,
  kBitXor,
  kBitOr,
  kAnd,
  kOr,
  kTernary,
  kAny
};

// Sets of types, by scalar kind and by shape.
using TypeSet = uint32_t;
constexpr TypeSet set_of(ir::Scalar s) { return 1u << static_cast<uint32_t>(s); }
inline constexpr TypeSet kBoolSet = set_of(ir::Scalar::Bool);
inline constexpr TypeSet kSignedSet =
    set_of(ir::Scalar::I8) | set_of(ir::Scalar::I16) | set_of(ir::Scalar::I32) | set_of(ir::Scalar::I64);
inline constexpr TypeSet kUnsignedSet =
    set_of(ir::Scalar::U8) | set_of(ir::Scalar::U16) | set_of(ir::Scalar::U32) | set_of(ir::Scalar::U64);
inline constexpr TypeSet kIntegerSet = kSignedSet | kUnsignedSet;
inline constexpr TypeSet k32Set = set_of(ir::Scalar::I32) | set_of(ir::Scalar::U32);
inline constexpr TypeSet k64Set = set_of(ir::Scalar::I64) | set_of(ir::Scalar::U64);
inline constexpr TypeSet kF16Set = set_of(ir::Scalar::F16), kF32Set = set_of(ir::Scalar::F32),
                         kF64Set = set_of(ir::Scalar::F64);
inline constexpr TypeSet kFloatSet = kF16Set | kF32Set | kF64Set;
inline constexpr TypeSet kScalars = kBoolSet | kIntegerSet | kFloatSet;
inline constexpr TypeSet kShapeScalar = 1u << 16, kShapeVector = 1u << 17, kShapeComplex = 1u << 18,
                         kShapeMatrix = 1u << 19, kShapeOther = 1u << 20;
inline constexpr TypeSet kAnyType = 0xffffffffu;
bool contains(TypeSet set, ir::Type type);

// The form of an op that a rule prints.
enum class MathForm : uint8_t { Any, Precise, Loose, Native };  // Loose: when not precise

struct Rule {
  vd_op op;
  TypeSet from;  // operand 0's type; the result's if there is none. Without shape bits: any shape
  TypeSet to;    // the result's type; 0: any
  MathForm form;
  Precedence precedence;
  const char* text;
  const char* needs = nullptr;  // an extension or a snippet
};

// A built-in value. Where a language has only its components, the printer builds the vector from them.
struct BuiltinRule {
  vd_builtin builtin;
  const char* whole;      // nullptr: only components
  const char* component;  // {c}: x, y or z; {i}: 0, 1 or 2. nullptr: of the whole
  bool named = false;     // worth a variable at the top of the kernel
  const char* needs = nullptr;
};

// Text that is put before the kernel once something needs it. "after" names one that it builds on.
struct Snippet {
  const char* name;
  const char* text;
  const char* after = nullptr;
};

struct Dialect {
  const char* name;   // in messages
  const char* entry;  // the kernel's name

  const char* scalar_types[13];  // by ir::Scalar
  const char* vector_types[13];  // {n}: components
  const char* matrix_types[13];  // {n}: columns, {m}: rows; nullptr: none
  const char* type_needs[13];    // extension or snippet, by scalar
  // Extension or feature that a subgroup operation on a scalar needs in addition to its rule, and that some devices
  // lack; nullptr: none.
  const char* subgroup_needs[13] = {};
  const char* literal_suffix[13];  // of f16 "": always from bits
  const char* literal_cast;        // of integers without a suffix: {T}, {0}
  const char* from_bits[13];       // a float that has no literal: {0} hexadecimal bits; of f64 also {lo} and {hi}

  const char* constant;          // qualifier of a named temporary, with its space
  const char* precise;           // of one that must not be contracted; nullptr: the language has rules for that
  const char* function;          // the head of a function of ours: {T}, {name}, {0}: parameters
  const char* construct;         // {T}, {0}: list of parts
  const char* construct_matrix;  // the same of a matrix, from columns
  const char* construct_struct;  // the same of a struct
  const char* construct_array;   // the same of an array
  const char* splat;             // {T}, {0}
  Precedence construct_precedence;
  const char* component;          // {0!}, {c}: xyzw
  const char* swizzle;            // {0!}, {c}; nullptr: construct from components
  const char* column;             // of a matrix: {0!}, {i}
  const char* dynamic_component;  // of a value: {0!}, {i}; nullptr: legalized to a choice
  const char* dynamic_place;      // of a place: {0!}, {i}, {q}: its space, {S}: scalar
  // A written component of a vector in a buffer or shared memory. It must be accessed alone, since the component beside
  // it may belong to another invocation. As dynamic_place, and {c}.
  const char* component_place;

  const char* spaces[6];  // qualifiers of pointers, by ir::Space, each with its blank
  const char*
      pointer_view;  // a pointer as one to {T}: {q}, {T}, {0}; nullptr: buffers get an alias, others are legalized
  const char* wide_lvalue;      // an lvalue as one of {T}: {q}, {T}, {0}; nullptr: through an alias
  const char* coherent_place;   // an lvalue whose reads and writes reach the device's memory; nullptr: through an alias
  const char* streaming_load;   // {0}: lvalue; nullptr: no such hint
  const char* streaming_store;  // the same and {1}: value
  const char* streaming_needs;
  // {0}: buffer, {1}: index; with buffer_addresses {a}: address, {s}: bytes between elements, {k}: "" or " + " and known
  // bytes.
  const char* buffer_element;
  bool wide_indices = true;       // of 64 bits
  bool wide_elements = true;      // indices of a buffer's elements have 64 bits, whatever the others have
  bool buffer_addresses = false;  // buffers are found by the addresses in a block
  // With Options::clamped_indices: {1}: index of an access to {n} bytes, one each {s} bytes of a buffer of {z}; the index in
  // an array within an element, {n} being its last.
  const char* clamped_element = nullptr;
  const char* clamped_index = nullptr;
  // A vector in a buffer of which a component is loaded: {0}. With buffer_addresses lavapipe (Mesa 22.3) loads a component
  // before the store of its whole vector that comes first.
  const char* whole_vector = nullptr;
  const char* value_member;     // {0}: block of values, {1}: member
  bool buffer_offsets = false;  // buffers begin at an offset in bytes that is an argument of its own

  // A vector that is not aligned to its size in memory is stored as scalars.
  const char* packed_suffix;  // of the type of a vector aligned to its scalar; nullptr: there is none
  bool packs_three;           // 3-vectors in buffers and shared memory
  bool packs_fields;          // every vector inside a struct or the block of values
  bool packs_matrices;        // in buffers and shared memory, too; they are legalized to columns
  const char* packed_load;    // {n} components, {0}: pointer to scalars, {1}: index of the vector
  const char* packed_store;   // the same and {2}: value

  // Questions of legalization.
  bool array_values;             // arrays are loaded and assigned as a whole
  bool barrier_orders_buffers;   // not only shared memory
  TypeSet saturates;             // floats whose conversion to integers does, where a rule has it
  bool nan_converts_to_zero;     // and these conversions give 0 for NaN
  uint32_t subgroup_size;        // where subgroup ids follow from the local index; 0: built in
  uint32_t static_shared_limit;  // bytes of shared memory that can be declared; more are asked for at the launch

  const char* printf;  // the printing function, of a format and values
  const char* printf_needs;
  const char* printf_long;  // in a conversion, for an integer of 64 bits

  const char* unroll_full;   // before a loop; a line of its own if it ends with one; nullptr: nothing to say
  const char* unroll_count;  // {0}
  const char* unroll_never;
  const char* unroll_needs;

  const char* fences[5][4];  // by scope (device, group, subgroup, cluster, system), space (all, buffers, shared, image)

  uint32_t value_limit;     // bytes of values that every device takes as push constant or parameter
  ValuePlace small_values;  // how the block of values travels: within Options::value_limit, and above
  ValuePlace large_values;

  std::span<const Rule> rules;
  std::span<const BuiltinRule> builtins;
  std::span<const Snippet> snippets;
  std::span<const char* const> reserved;  // words that no name of ours may be, sorted

  // The text of a function of an image, which the kernel calls with the op's operands; null: the language has no images.
  std::string (*image_function)(const Module& module, const ImageFunction& function) = nullptr;
  bool passes_images = false;  // such a function takes the image, too
  bool reads_units = false;    // kOpImageRead is the only op of images
  // The text around the kernel's body: extensions, buffers, values, shared arrays, entry.
  std::string (*assemble)(const Module& module);
};

// The first rule that fits; null if there is none.
const Rule* find_rule(const Dialect& dialect, ir::Op op, ir::Type from, ir::Type to, bool precise, bool native);

extern const Dialect kGlsl, kCuda, kOpenCl;
// GLSL whose buffers are found by addresses.
const Dialect& glsl_by_address();
const Dialect& get_dialect(vd_language language, bool buffer_addresses = false);

}  // namespace vd::codegen
