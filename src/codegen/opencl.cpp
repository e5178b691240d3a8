// OpenCL C 1.2 and newer. Vectors are the language's own; where memory does not align them (3-vectors, fields of
// structs and of the block of values, matrices) they are stored as scalars, moved by vload and vstore.
#include "codegen/dialect.h"
#include "codegen/module.h"
#include "codegen/opencl_images.h"
#include "codegen/precise/source.h"
#include "core/error.h"

namespace vd::codegen {

namespace {

using namespace ir;

constexpr const char* kFp16 = "cl_khr_fp16";
constexpr const char* kFp64 = "cl_khr_fp64";
constexpr const char* kInt64Atomics = "cl_khr_int64_base_atomics";
constexpr const char* kInt64More = "cl_khr_int64_extended_atomics";
constexpr const char* kSubgroups = "cl_khr_subgroups";
// Votes among the active invocations alone: the plain functions need all invocations to be active.
constexpr const char* kSubgroupVote = "cl_khr_subgroup_non_uniform_vote";
constexpr const char* kSubgroupBallot = "cl_khr_subgroup_ballot";
constexpr const char* kSubgroupArithmetic = "cl_khr_subgroup_non_uniform_arithmetic";
constexpr const char* kSubgroupShuffle = "cl_khr_subgroup_shuffle";
constexpr const char* kSubgroupRelative = "cl_khr_subgroup_shuffle_relative";

constexpr TypeSet kUint32 = set_of(ir::Scalar::U32);
constexpr TypeSet kWideScalar = k32Set | k64Set | kShapeScalar;
constexpr TypeSet kFloatAny = kFloatSet | kShapeScalar | kShapeVector | kShapeComplex;
constexpr TypeSet kFloats = kFloatSet | kShapeScalar | kShapeVector;
constexpr TypeSet kF32 = kF32Set | kShapeScalar | kShapeVector;
constexpr TypeSet kWideFloats = kF16Set | kF64Set | kShapeScalar | kShapeVector;
constexpr TypeSet kNumberScalar = kIntegerSet | kFloatSet | kBoolSet | kShapeScalar;
constexpr TypeSet kBoolScalar = kBoolSet | kShapeScalar;
constexpr TypeSet kSubgroupTypes = k32Set | k64Set | kFloatSet | kShapeScalar;

// Signed numbers wrap by way of unsigned ones.
#define VD_ARITHMETIC(op, sign, precedence)                                                        \
  {VD_OP_##op, kFloatAny | kUnsignedSet, 0, MathForm::Any, precedence, "{0} " sign " {1}"}, {      \
    VD_OP_##op, kSignedSet, 0, MathForm::Any, kPrimary, "as_{T}(as_{U}({0}) " sign " as_{U}({1}))" \
  }
#define VD_BITS(op, sign, precedence) \
  { VD_OP_##op, kIntegerSet, 0, MathForm::Any, precedence, "{0} " sign " {1}" }
#define VD_COMPARE(op, sign, precedence) \
  { VD_OP_##op, kNumberScalar, 0, MathForm::Any, precedence, "{0} " sign " {1}" }
#define VD_MATH(op, name) \
  { VD_OP_##op, kFloats, 0, MathForm::Any, kPrimary, name "({0})" }
#define VD_NATIVE_MATH(op, name) \
  {VD_OP_##op, kF32, 0, MathForm::Native, kPrimary, "native_" name "({0})"}, VD_MATH(op, name)
// OpenCL grants its functions of f32 3 to 16 ULP, more than we do; ours are precise (codegen/precise).
#define VD_PRECISE_MATH(op, name, native)                                                                 \
  {VD_OP_##op, kF32, 0, MathForm::Native, kPrimary, native "({0})"},                                      \
      {VD_OP_##op, kF32Set | kShapeScalar, 0, MathForm::Any, kPrimary, "vd_" name "({0})", "vd_" name}, { \
    VD_OP_##op, kWideFloats, 0, MathForm::Any, kPrimary, name "({0})"                                     \
  }
#define VD_ATOMIC(op, name, needs)                                                           \
  {VD_OP_ATOMIC_##op, k32Set, 0, MathForm::Any, kPrimary, "atomic_" name "(&{P}, {1})"}, {   \
    VD_OP_ATOMIC_##op, k64Set, 0, MathForm::Any, kPrimary, "atom_" name "(&{P}, {1})", needs \
  }

constexpr Rule kRules[] = {
    VD_ARITHMETIC(ADD, "+", kSum),
    VD_ARITHMETIC(SUB, "-", kSum),
    VD_ARITHMETIC(MUL, "*", kProduct),
    {VD_OP_DIV, kFloatAny | kIntegerSet, 0, MathForm::Any, kProduct, "{0} / {1}"},
    {VD_OP_REM, kIntegerSet, 0, MathForm::Any, kProduct, "{0} % {1}"},
    {VD_OP_NEG, kFloatAny, 0, MathForm::Any, kUnary, "-{0}"},
    {VD_OP_NEG, kUnsignedSet, 0, MathForm::Any, kUnary, "-{0}"},
    {VD_OP_NEG, kSignedSet, 0, MathForm::Any, kPrimary, "as_{T}(-as_{U}({0}))"},
    {VD_OP_ABS, kFloats, 0, MathForm::Any, kPrimary, "fabs({0})"},
    {VD_OP_MIN, kFloats, 0, MathForm::Any, kPrimary, "fmin({0}, {1})"},
    {VD_OP_MIN, kIntegerSet, 0, MathForm::Any, kPrimary, "min({0}, {1})"},
    {VD_OP_MAX, kFloats, 0, MathForm::Any, kPrimary, "fmax({0}, {1})"},
    {VD_OP_MAX, kIntegerSet, 0, MathForm::Any, kPrimary, "max({0}, {1})"},
    {VD_OP_FMA, kFloats, 0, MathForm::Any, kPrimary, "fma({0}, {1}, {2})"},

    {kOpMulHigh, kUint32 | kShapeScalar, 0, MathForm::Any, kPrimary, "mul_hi({0}, {1})"},
    VD_BITS(AND, "&", kBitAnd),
    VD_BITS(OR, "|", kBitOr),
    VD_BITS(XOR, "^", kBitXor),
    {VD_OP_NOT, kIntegerSet, 0, MathForm::Any, kUnary, "~{0}"},
    {VD_OP_SHL, kUnsignedSet, 0, MathForm::Any, kShift, "{0} << {1}"},
    {VD_OP_SHL, kSignedSet, 0, MathForm::Any, kPrimary, "as_{T}(as_{U}({0}) << {1!})"},
    {VD_OP_SHR, kIntegerSet, 0, MathForm::Any, kShift, "{0} >> {1}"},
    {VD_OP_POPCOUNT, kIntegerSet, 0, MathForm::Any, kPrimary, "popcount({0})"},
    {VD_OP_CLZ, kIntegerSet, 0, MathForm::Any, kPrimary, "clz({0})"},

    VD_COMPARE(EQ, "==", kEquality),
    VD_COMPARE(NE, "!=", kEquality),
    VD_COMPARE(LT, "<", kRelation),
    VD_COMPARE(LE, "<=", kRelation),
    VD_COMPARE(GT, ">", kRelation),
    VD_COMPARE(GE, ">=", kRelation),
    {VD_OP_LAND, kBoolScalar, 0, MathForm::Any, kAnd, "{0} && {1}"},
    {VD_OP_LOR, kBoolScalar, 0, MathForm::Any, kOr, "{0} || {1}"},
    {VD_OP_LNOT, kBoolScalar, 0, MathForm::Any, kUnary, "!{0}"},
    {VD_OP_SELECT, kBoolScalar, 0, MathForm::Any, kTernary, "{0} ? {1} : {2}"},

    {VD_OP_CONVERT, kFloatSet, kIntegerSet, MathForm::Any, kPrimary, "convert_{T}_sat({0})"},
    {VD_OP_CONVERT, kNumberScalar, kBoolSet, MathForm::Any, kUnary, "(bool){0}"},
    {VD_OP_CONVERT, kNumberScalar, kNumberScalar, MathForm::Any, kUnary, "({T}){0}"},
    {VD_OP_CONVERT, kIntegerSet | kFloatSet, kIntegerSet | kFloatSet, MathForm::Any, kPrimary, "convert_{T}({0})"},
    {VD_OP_BITCAST, kAnyType, kAnyType, MathForm::Any, kPrimary, "as_{T}({0})"},

    VD_MATH(FLOOR, "floor"),
    VD_MATH(CEIL, "ceil"),
    VD_MATH(TRUNC, "trunc"),
    VD_MATH(ROUND_EVEN, "rint"),
    VD_MATH(SQRT, "sqrt"),
    VD_NATIVE_MATH(RSQRT, "rsqrt"),
    VD_PRECISE_MATH(EXP, "exp", "native_exp"),
    VD_PRECISE_MATH(EXP2, "exp2", "native_exp2"),
    VD_PRECISE_MATH(LOG, "log", "native_log"),
    VD_PRECISE_MATH(LOG2, "log2", "native_log2"),
    {VD_OP_POW, kF32, 0, MathForm::Native, kPrimary, "native_powr({0}, {1})"},
    {VD_OP_POW, kF32Set | kShapeScalar, 0, MathForm::Any, kPrimary, "vd_pow({0}, {1})", "vd_pow"},
    {VD_OP_POW, kWideFloats, 0, MathForm::Any, kPrimary, "pow({0}, {1})"},
    VD_PRECISE_MATH(SIN, "sin", "native_sin"),
    VD_PRECISE_MATH(COS, "cos", "native_cos"),
    VD_PRECISE_MATH(TAN, "tan", "native_tan"),
    VD_PRECISE_MATH(ASIN, "asin", "asin"),
    VD_PRECISE_MATH(ACOS, "acos", "acos"),
    VD_PRECISE_MATH(ATAN, "atan", "atan"),
    {VD_OP_ATAN2, kF32, 0, MathForm::Native, kPrimary, "atan2({0}, {1})"},
    {VD_OP_ATAN2, kF32Set | kShapeScalar, 0, MathForm::Any, kPrimary, "vd_atan2({0}, {1})", "vd_atan2"},
    {VD_OP_ATAN2, kWideFloats, 0, MathForm::Any, kPrimary, "atan2({0}, {1})"},
    VD_PRECISE_MATH(SINH, "sinh", "sinh"),
    VD_PRECISE_MATH(COSH, "cosh", "cosh"),
    VD_PRECISE_MATH(TANH, "tanh", "tanh"),
    VD_PRECISE_MATH(ASINH, "asinh", "asinh"),
    VD_PRECISE_MATH(ACOSH, "acosh", "acosh"),
    VD_PRECISE_MATH(ATANH, "atanh", "atanh"),
    // By the bits: NVIDIA's compiler (driver 580) says of 0 / 0 that it computed itself that it is a number.
    {VD_OP_ISNAN, kF16Set | kShapeScalar, 0, MathForm::Any, kRelation, "(as_ushort({0}) & 0x7fff) > 0x7c00"},
    {VD_OP_ISNAN, kF32Set | kShapeScalar, 0, MathForm::Any, kRelation, "(as_uint({0}) & 0x7fffffffu) > 0x7f800000u"},
    {VD_OP_ISNAN, kF64Set | kShapeScalar, 0, MathForm::Any, kRelation,
     "(as_ulong({0}) & 0x7fffffffffffffffUL) > 0x7ff0000000000000UL"},

    {VD_OP_BARRIER, kAnyType, 0, MathForm::Any, kPrimary, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)"},
    {VD_OP_SUBGROUP_BARRIER, kAnyType, 0, MathForm::Any, kPrimary,
     "sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)", kSubgroups},

    VD_ATOMIC(ADD, "add", kInt64Atomics),
    VD_ATOMIC(MIN, "min", kInt64More),
    VD_ATOMIC(MAX, "max", kInt64More),
    VD_ATOMIC(AND, "and", kInt64More),
    VD_ATOMIC(OR, "or", kInt64More),
    VD_ATOMIC(XOR, "xor", kInt64More),
    VD_ATOMIC(EXCHANGE, "xchg", kInt64Atomics),
    {VD_OP_ATOMIC_EXCHANGE, kF32Set, 0, MathForm::Any, kPrimary, "atomic_xchg(&{P}, {1})"},
    {VD_OP_ATOMIC_CAS, k32Set, 0, MathForm::Any, kPrimary, "atomic_cmpxchg(&{P}, {1}, {2})"},
    {VD_OP_ATOMIC_CAS, k64Set, 0, MathForm::Any, kPrimary, "atom_cmpxchg(&{P}, {1}, {2})", kInt64Atomics},
    {VD_OP_ATOMIC_LOAD, kAnyType, 0, MathForm::Any, kUnary, "*({q}volatile {T}*)&{P}"},
    {VD_OP_ATOMIC_STORE, kAnyType, 0, MathForm::Any, kTernary, "*({q}volatile {A}*)&{P} = {1}"},

    {VD_OP_SUBGROUP_ADD, kSubgroupTypes, 0, MathForm::Any, kPrimary, "sub_group_non_uniform_reduce_add({0})",
     kSubgroupArithmetic},
    {VD_OP_SUBGROUP_MUL, kSubgroupTypes, 0, MathForm::Any, kPrimary, "sub_group_non_uniform_reduce_mul({0})",
     kSubgroupArithmetic},
    {VD_OP_SUBGROUP_MIN, kSubgroupTypes, 0, MathForm::Any, kPrimary, "sub_group_non_uniform_reduce_min({0})",
     kSubgroupArithmetic},
    {VD_OP_SUBGROUP_MAX, kSubgroupTypes, 0, MathForm::Any, kPrimary, "sub_group_non_uniform_reduce_max({0})",
     kSubgroupArithmetic},
    {VD_OP_SUBGROUP_AND, kWideScalar, 0, MathForm::Any, kPrimary, "sub_group_non_uniform_reduce_and({0})",
     kSubgroupArithmetic},
    {VD_OP_SUBGROUP_OR, kWideScalar, 0, MathForm::Any, kPrimary, "sub_group_non_uniform_reduce_or({0})",
     kSubgroupArithmetic},
    {VD_OP_SUBGROUP_XOR, kWideScalar, 0, MathForm::Any, kPrimary, "sub_group_non_uniform_reduce_xor({0})",
     kSubgroupArithmetic},
    {VD_OP_SUBGROUP_ELECT, kAnyType, 0, MathForm::Any, kEquality, "sub_group_elect() != 0", kSubgroupVote},
    {VD_OP_SUBGROUP_BROADCAST_FIRST, kSubgroupTypes, 0, MathForm::Any, kPrimary, "sub_group_broadcast_first({0})",
     kSubgroupBallot},
    {VD_OP_SUBGROUP_SHUFFLE, kSubgroupTypes, 0, MathForm::Any, kPrimary, "sub_group_shuffle({0}, {1})",
     kSubgroupShuffle},
    {VD_OP_SUBGROUP_SHUFFLE_XOR, kSubgroupTypes, 0, MathForm::Any, kPrimary, "sub_group_shuffle_xor({0}, {1})",
     kSubgroupShuffle},
    {VD_OP_SUBGROUP_SHUFFLE_UP, kSubgroupTypes, 0, MathForm::Any, kPrimary, "sub_group_shuffle_up({0}, {1})",
     kSubgroupRelative},
    {VD_OP_SUBGROUP_SHUFFLE_DOWN, kSubgroupTypes, 0, MathForm::Any, kPrimary, "sub_group_shuffle_down({0}, {1})",
     kSubgroupRelative},
    {VD_OP_SUBGROUP_ANY, kAnyType, 0, MathForm::Any, kEquality, "sub_group_non_uniform_any({0}) != 0", kSubgroupVote},
    {VD_OP_SUBGROUP_ALL, kAnyType, 0, MathForm::Any, kEquality, "sub_group_non_uniform_all({0}) != 0", kSubgroupVote},
    {VD_OP_SUBGROUP_BALLOT, kAnyType, 0, MathForm::Any, kPrimary, "sub_group_ballot({0})", kSubgroupBallot},
};

#undef VD_ARITHMETIC
#undef VD_BITS
#undef VD_COMPARE
#undef VD_MATH
#undef VD_NATIVE_MATH
#undef VD_PRECISE_MATH
#undef VD_ATOMIC

constexpr BuiltinRule kBuiltins[] = {
    {VD_BUILTIN_GLOBAL_ID, nullptr, "(uint)get_global_id({i})", true},
    {VD_BUILTIN_LOCAL_ID, nullptr, "(uint)get_local_id({i})", true},
    {VD_BUILTIN_WORKGROUP_ID, nullptr, "(uint)get_group_id({i})", true},
    {VD_BUILTIN_WORKGROUP_SIZE, nullptr, "{size}u"},
    {VD_BUILTIN_NUM_WORKGROUPS, nullptr, "(uint)get_num_groups({i})", true},
    {VD_BUILTIN_SUBGROUP_ID, "get_sub_group_id()", nullptr, true, kSubgroups},
    {VD_BUILTIN_SUBGROUP_SIZE, "get_max_sub_group_size()", nullptr, true, kSubgroups},
    {VD_BUILTIN_SUBGROUP_LANE, "get_sub_group_local_id()", nullptr, true, kSubgroups},
    {VD_BUILTIN_NUM_SUBGROUPS, "get_num_sub_groups()", nullptr, true, kSubgroups},
};

constexpr const char* kReserved[] = {
#include "codegen/reserved_opencl.inc"
};

std::string assemble(const Module& m) {
  const Kernel& k = m.kernel;
  std::string blocks, parameters, prologue;
  for (size_t i = 0; i < m.structs.size(); ++i) {
    const auto& s = k.types.get_struct(Type::structure(static_cast<uint32_t>(i)));
    blocks += "typedef struct {\n";
    for (size_t f = 0; f < s.fields.size(); ++f)
      blocks += "    " + m.declare_field(s.fields[f].type, m.fields[i][f]) + ";\n";
    blocks += "} " + m.structs[i] + ";\n";
  }
  for (uint32_t i = 0; i < k.arguments.size(); ++i) {
    const Argument& a = k.arguments[i];
    if (a.kind != VD_ARGUMENT_BUFFER) continue;
    const bool written = a.use == 0 || (a.use & (VD_ARGUMENT_ACCESS_WRITE | VD_ARGUMENT_ACCESS_ATOMIC));
    const std::string space = written ? "__global " : "__global const ", element = space + m.element_type(a.type);
    // A sub-buffer at an offset would have to be aligned to as much as 4 KiB.
    parameters +=
        fmt::format("{}{}* {}, ulong {}", parameters.empty() ? "" : ", ", element, m.memories[i], m.offsets[i]);
    prologue += fmt::format("    {0}* const {1} = ({0}*)(({2}uchar*){3} + {4});\n", element, m.arguments[i], space,
                            m.memories[i], m.offsets[i]);
  }
  if (m.value_place != ValuePlace::None) {
    blocks += m.value_struct("Block_values", "typedef struct {\n", "} Block_values;\n");
    const bool pointer = m.value_place == ValuePlace::Pointer;
    parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ",
                              pointer ? "__constant Block_values*" : "const Block_values",
                              pointer ? m.values + "_pointer" : m.values);
    if (pointer) prologue += fmt::format("    const Block_values {0} = *{0}_pointer;\n", m.values);
  }
  parameters += opencl_image_parameters(m);  // there is a buffer before each
  const bool raw = m.shared_is_raw();
  if (raw) prologue += fmt::format("    __local uchar vd_shared[{}] __attribute__((aligned(16)));\n", k.shared_size);
  for (size_t i = 0; i < k.shareds.size(); ++i) {
    const SharedArray& s = k.shareds[i];
    if (raw) {
      prologue += fmt::format("    __local {0}* const {1} = (__local {0}*)(vd_shared + {2});\n",
                              m.element_type(s.element), m.shareds[i], s.offset);
    } else {
      const uint32_t count = s.count * m.scalars_per_element(s.element);
      prologue += fmt::format("    __local {} {}[{}] __attribute__((aligned(16)));\n", m.element_type(s.element),
                              m.shareds[i], count);
    }
  }
  for (const auto& [index, name] : m.constants) {
    const Constant& c = k.constants[index];
    blocks += "__constant " + m.declare(c.type, name) + " = " + m.constant_text(c.type, c.bytes.data()) + ";\n";
  }
  std::string matrices;
  for (const Type t : m.composite_types())
    if (t.is_matrix())
      matrices +=
          fmt::format("typedef struct {{\n    {} c[{}];\n}} {};\n", m.type(t.component()), t.count(), m.type(t));

  std::string out;
  for (const std::string& name : m.needs)  // extensions of a single subgroup function need no pragma, and compilers
                                           // warn of one
    if (name.starts_with("cl_") && !name.starts_with("cl_khr_subgroup_"))
      out += "#pragma OPENCL EXTENSION " + name + " : enable\n";
  if (m.precise) out += "#pragma OPENCL FP_CONTRACT OFF\n";
  out += matrices + m.snippets() + precise_sources(m) + opencl_images(m) + blocks;
  if (!out.empty()) out += '\n';
  out += fmt::format("__kernel __attribute__((reqd_work_group_size({}, {}, {})))\nvoid vkdispatch_main({}) {{\n",
                     m.workgroup_size[0], m.workgroup_size[1], m.workgroup_size[2], parameters);
  return out + prologue + m.declarations + m.body + "}\n";
}

}  // namespace

const Dialect kOpenCl = {
    .name = "OpenCL C",
    .entry = "vkdispatch_main",
    .scalar_types = {"", "bool", "char", "short", "int", "long", "uchar", "ushort", "uint", "ulong", "half", "float",
                     "double"},
    .vector_types = {"", "int{n}", "char{n}", "short{n}", "int{n}", "long{n}", "uchar{n}", "ushort{n}", "uint{n}",
                     "ulong{n}", "half{n}", "float{n}", "double{n}"},
    .matrix_types = {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                     "f16m{n}x{m}", "f32m{n}x{m}", "f64m{n}x{m}"},
    .type_needs = {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, kFp16,
                   nullptr, kFp64},
    .literal_suffix = {"", "", "", "", "", "L", "", "", "u", "UL", "h", "f", ""},
    .literal_cast = "(({T}){0})",
    .from_bits = {"", "", "", "", "", "", "", "", "", "", "as_half((ushort){0})", "as_float({0})", "as_double({0}UL)"},
    .constant = "const ",
    .precise = nullptr,
    .function = "{T} {name}({0}) {\n#pragma OPENCL FP_CONTRACT OFF\n",
    .construct = "({T})({0})",
    .construct_matrix = "({T}){{{0}}}",
    .construct_struct = "({T}){{0}}",
    .construct_array = "{{0}}",
    .splat = "({T})({0})",
    .construct_precedence = kUnary,
    .component = "{0!}.{c}",
    .swizzle = "{0!}.{c}",
    .column = "{0!}.c[{i}]",
    .dynamic_component = nullptr,
    .dynamic_place = "(({q}{S}*)&{0!})[{i}]",
    // Compilers turn p.y = v into a load and a store of the whole vector, and p.y has no address for atomics.
    .component_place = "(({q}{S}*)&{0!})[{i}]",
    .spaces = {"", "__private ", "__local ", "__global ", "", "__local "},
    .pointer_view = "(({q}{T}*){0})",
    .wide_lvalue = "*({q}{T}*)&{0}",
    .coherent_place = "*({q}volatile {T}*)&{0}",
    .streaming_load = nullptr,
    .streaming_store = nullptr,
    .streaming_needs = nullptr,
    .buffer_element = "{0}[{1}]",
    .value_member = "{0}.{1}",
    .buffer_offsets = true,
    .packed_suffix = nullptr,
    .packs_three = true,
    .packs_fields = true,
    .packs_matrices = true,
    .packed_load = "vload{n}({1}, {0})",
    .packed_store = "vstore{n}({2}, {1}, {0})",
    .array_values = false,
    .barrier_orders_buffers = true,
    .saturates = kFloatSet,
    .nan_converts_to_zero = false,  // the standard only recommends it, and NVIDIA's driver gives the least integer
    .subgroup_size = 0,
    .static_shared_limit = 0xffffffffu,
    .printf = "printf",
    .printf_needs = nullptr,
    .printf_long = "l",
    .unroll_full = "#pragma unroll\n",
    .unroll_count = "#pragma unroll {0}\n",
    .unroll_never = "#pragma unroll 1\n",
    .unroll_needs = nullptr,
    .fences = {{"mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)", "mem_fence(CLK_GLOBAL_MEM_FENCE)",
                "mem_fence(CLK_LOCAL_MEM_FENCE)", "mem_fence(CLK_GLOBAL_MEM_FENCE)"},
               {"mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)", "mem_fence(CLK_GLOBAL_MEM_FENCE)",
                "mem_fence(CLK_LOCAL_MEM_FENCE)", "mem_fence(CLK_GLOBAL_MEM_FENCE)"},
               {"mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)", "mem_fence(CLK_GLOBAL_MEM_FENCE)",
                "mem_fence(CLK_LOCAL_MEM_FENCE)", "mem_fence(CLK_GLOBAL_MEM_FENCE)"},
               {"mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)", "mem_fence(CLK_GLOBAL_MEM_FENCE)",
                "mem_fence(CLK_LOCAL_MEM_FENCE)", "mem_fence(CLK_GLOBAL_MEM_FENCE)"},
               {"mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)", "mem_fence(CLK_GLOBAL_MEM_FENCE)",
                "mem_fence(CLK_LOCAL_MEM_FENCE)", "mem_fence(CLK_GLOBAL_MEM_FENCE)"}},
    .value_limit = 1024 - 256,
    .small_values = ValuePlace::Parameter,
    .large_values = ValuePlace::Pointer,
    .rules = kRules,
    .builtins = kBuiltins,
    .snippets = {},
    .reserved = kReserved,
    .image_function = opencl_image_function,
    .reads_units = true,
    .assemble = assemble,
};

}  // namespace vd::codegen
