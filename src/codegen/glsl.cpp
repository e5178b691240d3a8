// GLSL 4.50 for Vulkan, with scalar block layout. Each buffer is a block with one array, `name.data[i]`; seen as
// another type it is another block on the same binding.
#include "codegen/dialect.h"
#include "codegen/module.h"
#include "codegen/precise/source.h"
#include "core/error.h"
#include "core/texel.h"

namespace vd::codegen {

namespace {

using namespace ir;

constexpr const char* kInt8 = "GL_EXT_shader_explicit_arithmetic_types_int8";
constexpr const char* kInt16 = "GL_EXT_shader_explicit_arithmetic_types_int16";
constexpr const char* kInt64 = "GL_EXT_shader_explicit_arithmetic_types_int64";
constexpr const char* kFloat16 = "GL_EXT_shader_explicit_arithmetic_types_float16";
constexpr const char* kBasic = "GL_KHR_shader_subgroup_basic";
constexpr const char* kArithmetic = "GL_KHR_shader_subgroup_arithmetic";
constexpr const char* kBallot = "GL_KHR_shader_subgroup_ballot";
constexpr const char* kVote = "GL_KHR_shader_subgroup_vote";
constexpr const char* kShuffle = "GL_KHR_shader_subgroup_shuffle";
constexpr const char* kRelative = "GL_KHR_shader_subgroup_shuffle_relative";
constexpr const char* kSubgroup8 = "GL_EXT_shader_subgroup_extended_types_int8";
constexpr const char* kSubgroup16 = "GL_EXT_shader_subgroup_extended_types_int16";
constexpr const char* kSubgroup64 = "GL_EXT_shader_subgroup_extended_types_int64";
constexpr const char* kSubgroupHalf = "GL_EXT_shader_subgroup_extended_types_float16";
constexpr const char* kAtomic64 = "GL_EXT_shader_atomic_int64";
constexpr const char* kAtomicFloat = "GL_EXT_shader_atomic_float";

constexpr TypeSet kNumbers = kIntegerSet | kFloatSet;
constexpr TypeSet kVectors = kScalars | kShapeVector;
constexpr TypeSet kScalar = kScalars | kShapeScalar;
constexpr TypeSet kBoolScalar = kBoolSet | kShapeScalar;
constexpr TypeSet kBoolVector = kBoolSet | kShapeVector;
constexpr TypeSet kF16F32 = kF16Set | kF32Set;
constexpr TypeSet kI32Set = set_of(ir::Scalar::I32), kU32Set = set_of(ir::Scalar::U32);
constexpr TypeSet kI64Set = set_of(ir::Scalar::I64), kU64Set = set_of(ir::Scalar::U64);
constexpr TypeSet kI16Set = set_of(ir::Scalar::I16), kU16Set = set_of(ir::Scalar::U16);

// Comparison of one component as an operator, of vectors as a function.
#define VD_COMPARE(op, sign, precedence, function)                           \
  {VD_OP_##op, kScalar, 0, MathForm::Any, precedence, "{0} " sign " {1}"}, { \
    VD_OP_##op, kVectors, 0, MathForm::Any, kPrimary, function "({0}, {1})"  \
  }
#define VD_FUNCTION(op, types, name) \
  { VD_OP_##op, types, 0, MathForm::Any, kPrimary, name "({0})" }
// Vulkan promises little of its own functions; ours are precise (codegen/precise).
#define VD_MATH(op, name)                                                                          \
  {VD_OP_##op, kF16F32, 0, MathForm::Native, kPrimary, name "({0})"}, {                            \
    VD_OP_##op, kF32Set | kShapeScalar, 0, MathForm::Any, kPrimary, "vd_" name "({0})", "vd_" name \
  }
#define VD_SUBGROUP(op, name) \
  { VD_OP_SUBGROUP_##op, kAnyType, 0, MathForm::Any, kPrimary, name "({0})", kArithmetic }
#define VD_ATOMIC(op, name)                                                             \
  {VD_OP_ATOMIC_##op, k32Set, 0, MathForm::Any, kPrimary, name "({P}, {1})"}, {         \
    VD_OP_ATOMIC_##op, k64Set, 0, MathForm::Any, kPrimary, name "({P}, {1})", kAtomic64 \
  }

constexpr Rule kRules[] = {
    // Signed integers wrap by way of unsigned ones: NVIDIA's compiler takes signed sums as not wrapping.
    {VD_OP_ADD, kSignedSet, 0, MathForm::Any, kPrimary, "{T}({U}({0}) + {U}({1}))"},
    {VD_OP_ADD, kAnyType, 0, MathForm::Any, kSum, "{0} + {1}"},
    {VD_OP_SUB, kSignedSet, 0, MathForm::Any, kPrimary, "{T}({U}({0}) - {U}({1}))"},
    {VD_OP_SUB, kAnyType, 0, MathForm::Any, kSum, "{0} - {1}"},
    {VD_OP_MUL, kSignedSet, 0, MathForm::Any, kPrimary, "{T}({U}({0}) * {U}({1}))"},
    {VD_OP_MUL, kAnyType, 0, MathForm::Any, kProduct, "{0} * {1}"},
    {VD_OP_DIV, kF32Set | kShapeScalar, 0, MathForm::Precise, kPrimary, "vd_div({0}, {1})", "vd_div"},
    {VD_OP_DIV, kF16F32, 0, MathForm::Loose, kProduct, "{0} / {1}"},
    {VD_OP_DIV, kU64Set | kShapeScalar, 0, MathForm::Any, kPrimary, "vd_div_u64({0}, {1})", "vd_div_u64"},
    {VD_OP_DIV, kI64Set | kShapeScalar, 0, MathForm::Any, kPrimary, "vd_div_i64({0}, {1})", "vd_div_i64"},
    {VD_OP_DIV, (kIntegerSet & ~k64Set) | kF64Set, 0, MathForm::Any, kProduct, "{0} / {1}"},
    {VD_OP_REM, kU64Set | kShapeScalar, 0, MathForm::Any, kPrimary, "vd_rem_u64({0}, {1})", "vd_rem_u64"},
    {VD_OP_REM, kUnsignedSet & ~kU64Set, 0, MathForm::Any, kProduct, "{0} % {1}"},
    {VD_OP_NEG, kSignedSet, 0, MathForm::Any, kPrimary, "{T}(-{U}({0}))"},
    {VD_OP_NEG, kAnyType, 0, MathForm::Any, kUnary, "-{0}"},
    {VD_OP_ABS, kFloatSet, 0, MathForm::Any, kPrimary, "abs({0})"},
    {VD_OP_MIN, kNumbers, 0, MathForm::Any, kPrimary, "min({0}, {1})"},
    {VD_OP_MAX, kNumbers, 0, MathForm::Any, kPrimary, "max({0}, {1})"},
    {VD_OP_FMA, kF32Set | kShapeScalar, 0, MathForm::Precise, kPrimary, "vd_fma({0}, {1}, {2})", "vd_fma"},
    {VD_OP_FMA, kF16F32, 0, MathForm::Loose, kPrimary, "fma({0}, {1}, {2})"},
    {VD_OP_FMA, kF64Set, 0, MathForm::Any, kPrimary, "fma({0}, {1}, {2})"},

    {kOpWidenHalf, kF16Set | kShapeScalar, 0, MathForm::Any, kPrimary, "vd_widen_half({0})", "vd_widen_half"},
    {kOpMulHigh, kU32Set | kShapeScalar, 0, MathForm::Any, kPrimary, "vd_mul_high({0}, {1})", "vd_mul_high"},
    {VD_OP_AND, kAnyType, 0, MathForm::Any, kBitAnd, "{0} & {1}"},
    {VD_OP_OR, kAnyType, 0, MathForm::Any, kBitOr, "{0} | {1}"},
    {VD_OP_XOR, kAnyType, 0, MathForm::Any, kBitXor, "{0} ^ {1}"},
    {VD_OP_NOT, kAnyType, 0, MathForm::Any, kUnary, "~{0}"},
    {VD_OP_SHL, kSignedSet, 0, MathForm::Any, kPrimary, "{T}({U}({0}) << {1!})"},
    {VD_OP_SHL, kAnyType, 0, MathForm::Any, kShift, "{0} << {1}"},
    {VD_OP_SHR, kAnyType, 0, MathForm::Any, kShift, "{0} >> {1}"},
    {VD_OP_POPCOUNT, k32Set, 0, MathForm::Any, kPrimary, "{T}(bitCount({0}))"},
    {VD_OP_CLZ, kU32Set | kShapeScalar, 0, MathForm::Any, kPrimary, "uint(31 - findMSB({0}))"},
    {VD_OP_CLZ, kU32Set | kShapeVector, 0, MathForm::Any, kPrimary, "{T}(31 - findMSB({0}))"},
    {VD_OP_BITREVERSE, k32Set, 0, MathForm::Any, kPrimary, "bitfieldReverse({0})"},

    {VD_OP_EQ, kAnyType, kBoolScalar, MathForm::Any, kEquality, "{0} == {1}"},
    {VD_OP_EQ, kVectors, 0, MathForm::Any, kPrimary, "equal({0}, {1})"},
    {VD_OP_NE, kAnyType, kBoolScalar, MathForm::Any, kEquality, "{0} != {1}"},
    {VD_OP_NE, kVectors, 0, MathForm::Any, kPrimary, "notEqual({0}, {1})"},
    VD_COMPARE(LT, "<", kRelation, "lessThan"),
    VD_COMPARE(LE, "<=", kRelation, "lessThanEqual"),
    VD_COMPARE(GT, ">", kRelation, "greaterThan"),
    VD_COMPARE(GE, ">=", kRelation, "greaterThanEqual"),
    {VD_OP_LAND, kBoolScalar, 0, MathForm::Any, kAnd, "{0} && {1}"},
    {VD_OP_LAND, kBoolVector, 0, MathForm::Any, kPrimary, "equal(uvec{n}({0}) & uvec{n}({1}), uvec{n}(1u))"},
    {VD_OP_LOR, kBoolScalar, 0, MathForm::Any, kOr, "{0} || {1}"},
    {VD_OP_LOR, kBoolVector, 0, MathForm::Any, kPrimary, "notEqual(uvec{n}({0}) | uvec{n}({1}), uvec{n}(0u))"},
    {VD_OP_LNOT, kBoolScalar, 0, MathForm::Any, kUnary, "!{0}"},
    {VD_OP_LNOT, kBoolVector, 0, MathForm::Any, kPrimary, "not({0})"},
    {VD_OP_ANY, kBoolScalar, 0, MathForm::Any, kPrimary, "{0!}"},
    {VD_OP_ANY, kBoolVector, 0, MathForm::Any, kPrimary, "any({0})"},
    {VD_OP_ALL, kBoolScalar, 0, MathForm::Any, kPrimary, "{0!}"},
    {VD_OP_ALL, kBoolVector, 0, MathForm::Any, kPrimary, "all({0})"},
    {VD_OP_SELECT, kBoolScalar, 0, MathForm::Any, kTernary, "{0} ? {1} : {2}"},
    {VD_OP_SELECT, kBoolVector, 0, MathForm::Any, kPrimary, "mix({2}, {1}, {0})"},

    {VD_OP_CONVERT, kIntegerSet | kBoolSet, 0, MathForm::Any, kPrimary, "{T}({0})"},
    {VD_OP_CONVERT, kFloatSet, kScalars & ~k64Set, MathForm::Any, kPrimary, "{T}({0})"},

    {VD_OP_BITCAST, kF32Set, kI32Set, MathForm::Any, kPrimary, "floatBitsToInt({0})"},
    {VD_OP_BITCAST, kF32Set, kU32Set, MathForm::Any, kPrimary, "floatBitsToUint({0})"},
    {VD_OP_BITCAST, kI32Set, kF32Set, MathForm::Any, kPrimary, "intBitsToFloat({0})"},
    {VD_OP_BITCAST, kU32Set, kF32Set, MathForm::Any, kPrimary, "uintBitsToFloat({0})"},
    {VD_OP_BITCAST, kF64Set, kI64Set, MathForm::Any, kPrimary, "doubleBitsToInt64({0})"},
    {VD_OP_BITCAST, kF64Set, kU64Set, MathForm::Any, kPrimary, "doubleBitsToUint64({0})"},
    {VD_OP_BITCAST, kI64Set, kF64Set, MathForm::Any, kPrimary, "int64BitsToDouble({0})"},
    {VD_OP_BITCAST, kU64Set, kF64Set, MathForm::Any, kPrimary, "uint64BitsToDouble({0})"},
    {VD_OP_BITCAST, kF16Set, kI16Set, MathForm::Any, kPrimary, "float16BitsToInt16({0})"},
    {VD_OP_BITCAST, kF16Set, kU16Set, MathForm::Any, kPrimary, "float16BitsToUint16({0})"},
    {VD_OP_BITCAST, kI16Set, kF16Set, MathForm::Any, kPrimary, "int16BitsToFloat16({0})"},
    {VD_OP_BITCAST, kU16Set, kF16Set, MathForm::Any, kPrimary, "uint16BitsToFloat16({0})"},
    {VD_OP_BITCAST, kU32Set | kShapeVector, kF64Set | kShapeScalar, MathForm::Any, kPrimary, "packDouble2x32({0})"},
    {VD_OP_BITCAST, kF64Set | kShapeScalar, kU32Set | kShapeVector, MathForm::Any, kPrimary, "unpackDouble2x32({0})"},
    {VD_OP_BITCAST, kU32Set | kShapeVector, k64Set | kShapeScalar, MathForm::Any, kPrimary, "{T}(packUint2x32({0}))"},
    {VD_OP_BITCAST, k64Set | kShapeScalar, kU32Set | kShapeVector, MathForm::Any, kPrimary,
     "unpackUint2x32(uint64_t({0}))"},
    {VD_OP_BITCAST, kFloatSet, kFloatSet, MathForm::Any, kPrimary, "{0!}"},
    {VD_OP_BITCAST, kIntegerSet, kIntegerSet, MathForm::Any, kPrimary, "{T}({0})"},

    VD_FUNCTION(FLOOR, kFloatSet, "floor"),
    VD_FUNCTION(CEIL, kFloatSet, "ceil"),
    VD_FUNCTION(TRUNC, kFloatSet, "trunc"),
    VD_FUNCTION(ROUND_EVEN, kFloatSet, "roundEven"),
    VD_FUNCTION(FRACT, kFloatSet, "fract"),
    {VD_OP_MIX, kFloatSet, 0, MathForm::Any, kPrimary, "mix({0}, {1}, {2})"},
    {VD_OP_STEP, kFloatSet, 0, MathForm::Any, kPrimary, "step({0}, {1})"},
    {VD_OP_SQRT, kF32Set | kShapeScalar, 0, MathForm::Precise, kPrimary, "vd_sqrt({0})", "vd_sqrt"},
    {VD_OP_SQRT, kF16F32, 0, MathForm::Loose, kPrimary, "sqrt({0})"},
    VD_FUNCTION(SQRT, kF64Set, "sqrt"),
    {VD_OP_RSQRT, kF32Set | kShapeScalar, 0, MathForm::Precise, kPrimary, "vd_rsqrt({0})", "vd_rsqrt"},
    {VD_OP_RSQRT, kF16F32, 0, MathForm::Loose, kPrimary, "inversesqrt({0})"},
    VD_FUNCTION(RSQRT, kF64Set, "inversesqrt"),
    VD_MATH(EXP, "exp"),
    VD_MATH(EXP2, "exp2"),
    VD_MATH(LOG, "log"),
    VD_MATH(LOG2, "log2"),
    {VD_OP_POW, kF16F32, 0, MathForm::Native, kPrimary, "pow({0}, {1})"},
    {VD_OP_POW, kF32Set | kShapeScalar, 0, MathForm::Any, kPrimary, "vd_pow({0}, {1})", "vd_pow"},
    VD_MATH(SIN, "sin"),
    VD_MATH(COS, "cos"),
    VD_MATH(TAN, "tan"),
    VD_MATH(ASIN, "asin"),
    VD_MATH(ACOS, "acos"),
    VD_MATH(ATAN, "atan"),
    {VD_OP_ATAN2, kF16F32, 0, MathForm::Native, kPrimary, "atan({0}, {1})"},
    {VD_OP_ATAN2, kF32Set | kShapeScalar, 0, MathForm::Any, kPrimary, "vd_atan2({0}, {1})", "vd_atan2"},
    VD_MATH(SINH, "sinh"),
    VD_MATH(COSH, "cosh"),
    VD_MATH(TANH, "tanh"),
    VD_MATH(ASINH, "asinh"),
    VD_MATH(ACOSH, "acosh"),
    VD_MATH(ATANH, "atanh"),

    // barrier() alone orders shared memory only.
    {VD_OP_BARRIER, kAnyType, 0, MathForm::Any, kPrimary, "barrier()"},
    {VD_OP_SUBGROUP_BARRIER, kAnyType, 0, MathForm::Any, kPrimary, "subgroupBarrier()", kBasic},

    VD_ATOMIC(ADD, "atomicAdd"),
    {VD_OP_ATOMIC_ADD, kFloatSet, 0, MathForm::Any, kPrimary, "atomicAdd({P}, {1})", kAtomicFloat},
    VD_ATOMIC(MIN, "atomicMin"),
    VD_ATOMIC(MAX, "atomicMax"),
    VD_ATOMIC(AND, "atomicAnd"),
    VD_ATOMIC(OR, "atomicOr"),
    VD_ATOMIC(XOR, "atomicXor"),
    VD_ATOMIC(EXCHANGE, "atomicExchange"),
    {VD_OP_ATOMIC_EXCHANGE, kFloatSet, 0, MathForm::Any, kPrimary, "atomicExchange({P}, {1})", kAtomicFloat},
    {VD_OP_ATOMIC_CAS, k32Set, 0, MathForm::Any, kPrimary, "atomicCompSwap({P}, {1}, {2})"},
    {VD_OP_ATOMIC_CAS, k64Set, 0, MathForm::Any, kPrimary, "atomicCompSwap({P}, {1}, {2})", kAtomic64},

    VD_SUBGROUP(ADD, "subgroupAdd"),
    VD_SUBGROUP(MUL, "subgroupMul"),
    VD_SUBGROUP(MIN, "subgroupMin"),
    VD_SUBGROUP(MAX, "subgroupMax"),
    VD_SUBGROUP(AND, "subgroupAnd"),
    VD_SUBGROUP(OR, "subgroupOr"),
    VD_SUBGROUP(XOR, "subgroupXor"),
    {VD_OP_SUBGROUP_ELECT, kAnyType, 0, MathForm::Any, kPrimary, "subgroupElect()", kBasic},
    {VD_OP_SUBGROUP_BROADCAST_FIRST, kAnyType, 0, MathForm::Any, kPrimary, "subgroupBroadcastFirst({0})", kBallot},
    {VD_OP_SUBGROUP_SHUFFLE, kAnyType, 0, MathForm::Any, kPrimary, "subgroupShuffle({0}, {1})", kShuffle},
    {VD_OP_SUBGROUP_SHUFFLE_XOR, kAnyType, 0, MathForm::Any, kPrimary, "subgroupShuffleXor({0}, {1})", kShuffle},
    {VD_OP_SUBGROUP_SHUFFLE_UP, kAnyType, 0, MathForm::Any, kPrimary, "subgroupShuffleUp({0}, {1})", kRelative},
    {VD_OP_SUBGROUP_SHUFFLE_DOWN, kAnyType, 0, MathForm::Any, kPrimary, "subgroupShuffleDown({0}, {1})", kRelative},
    {VD_OP_SUBGROUP_ANY, kAnyType, 0, MathForm::Any, kPrimary, "subgroupAny({0})", kVote},
    {VD_OP_SUBGROUP_ALL, kAnyType, 0, MathForm::Any, kPrimary, "subgroupAll({0})", kVote},
    {VD_OP_SUBGROUP_BALLOT, kAnyType, 0, MathForm::Any, kPrimary, "subgroupBallot({0})", kBallot},
    {VD_OP_SUBGROUP_BROADCAST, kAnyType, 0, MathForm::Any, kPrimary, "subgroupBroadcast({0}, {1})", kBallot},
};

#undef VD_COMPARE
#undef VD_FUNCTION
#undef VD_MATH
#undef VD_SUBGROUP
#undef VD_ATOMIC

constexpr BuiltinRule kBuiltins[] = {
    {VD_BUILTIN_GLOBAL_ID, "gl_GlobalInvocationID", nullptr},
    {VD_BUILTIN_LOCAL_ID, "gl_LocalInvocationID", nullptr},
    {VD_BUILTIN_LOCAL_INDEX, "gl_LocalInvocationIndex", nullptr},
    {VD_BUILTIN_WORKGROUP_ID, "gl_WorkGroupID", nullptr},
    {VD_BUILTIN_WORKGROUP_SIZE, "gl_WorkGroupSize", nullptr},
    {VD_BUILTIN_NUM_WORKGROUPS, "gl_NumWorkGroups", nullptr},
    {VD_BUILTIN_SUBGROUP_ID, "gl_SubgroupID", nullptr, false, kBasic},
    {VD_BUILTIN_SUBGROUP_SIZE, "gl_SubgroupSize", nullptr, false, kBasic},
    {VD_BUILTIN_SUBGROUP_LANE, "gl_SubgroupInvocationID", nullptr, false, kBasic},
    {VD_BUILTIN_NUM_SUBGROUPS, "gl_NumSubgroups", nullptr, false, kBasic},
};

constexpr Snippet kSnippets[] = {
    {"vd_mul_high", R"(uint vd_mul_high(uint a, uint b) {
    uint high, low;
    umulExtended(a, b, high, low);
    return high;
}
)"},
    // The bits take a way that the compiler does not see through (legalize/negatives.cpp), or it drops the rounding to
    // f16 that made them.
    {"vd_widen_half", R"(float vd_widen_half(float16_t x) {
    uint bits = packFloat2x16(f16vec2(x, float16_t(0.0)));
    return unpackHalf2x16(vd_mul_high(bits, 4294967295u) + uint(bits != 0u)).x;
}
)",
     "vd_mul_high"},
    // To the nearest f16, ties to even, so that a conversion which truncates changes nothing more.
    {"vd_round_half", R"(float vd_round_half(float x) {
    uint bits = floatBitsToUint(x);
    uint sign = bits & 2147483648u;
    uint magnitude = bits & 2147483647u;
    if (magnitude > 2139095040u) return x;
    if (magnitude >= 1199566848u) return uintBitsToFloat(sign | 2139095040u);
    if (magnitude >= 947912704u) return uintBitsToFloat(sign | ((magnitude + 4095u + (magnitude >> 13 & 1u)) & 4294959104u));
    uint steps = floatBitsToUint(uintBitsToFloat(magnitude) + 0.5) - 1056964608u;
    return uintBitsToFloat(sign | floatBitsToUint(float(steps) * 5.9604644775390625e-8));
}
)"},
    // Division of 64 bits by divisions of 32, digit by digit in base 2^16 (D. E. Knuth, The Art of Computer
    // Programming, volume 2, 1969, algorithm 4.3.1 D; the way to a divisor of 64 bits: H. S. Warren, Hacker's Delight,
    // 2002, 9-5). With the driver's own division NVIDIA's compiler (580) gets other values of the kernel wrong.
    {"vd_div_digit", R"(uint vd_div_digit(uint high, uint next, uint upper, uint lower) {
    uint digit = high / upper;
    uint rest = high - digit * upper;
    if (digit > 65535u || digit * lower > (rest << 16 | next)) {
        digit -= 1u;
        rest += upper;
        if (rest < 65536u && digit * lower > (rest << 16 | next)) digit -= 1u;
    }
    return digit;
}
)"},
    {"vd_div_u64", R"(uint64_t vd_div_u64(uint64_t a, uint64_t b) {
    uvec2 x = unpackUint2x32(a);
    uvec2 y = unpackUint2x32(b);
    bool wide = y.y != 0u;
    if (!wide && x.y == 0u) return uint64_t(x.x / y.x);
    uint shift = uint(31 - findMSB(wide ? y.y : y.x));
    uint by = wide ? unpackUint2x32(b << shift).y : y.x << shift;
    uint first = wide ? 0u : x.y / y.x;
    uvec2 dividend = wide ? unpackUint2x32(a >> 1) : unpackUint2x32(packUint2x32(uvec2(x.x, x.y - first * y.x)) << shift);
    uint upper = by >> 16;
    uint lower = by & 65535u;
    uint high = vd_div_digit(dividend.y, dividend.x >> 16, upper, lower);
    uint rest = (dividend.y << 16 | dividend.x >> 16) - high * by;
    uint low = vd_div_digit(rest, dividend.x & 65535u, upper, lower);
    uint quotient = (high << 16) + low;
    if (!wide) return packUint2x32(uvec2(quotient, first));
    quotient >>= 31u - shift;
    if (quotient != 0u) quotient -= 1u;
    if (a - quotient * b >= b) quotient += 1u;
    return uint64_t(quotient);
}
)",
     "vd_div_digit"},
    {"vd_rem_u64", R"(uint64_t vd_rem_u64(uint64_t a, uint64_t b) {
    return a - vd_div_u64(a, b) * b;
}
)",
     "vd_div_u64"},
    {"vd_div_i64", R"(int64_t vd_div_i64(int64_t a, int64_t b) {
    uint64_t a_sign = uint64_t(a >> 63);
    uint64_t b_sign = uint64_t(b >> 63);
    uint64_t sign = a_sign ^ b_sign;
    uint64_t quotient = vd_div_u64((uint64_t(a) ^ a_sign) - a_sign, (uint64_t(b) ^ b_sign) - b_sign);
    return int64_t((quotient ^ sign) - sign);
}
)",
     "vd_div_u64"},
};

constexpr const char* kReserved[] = {
#include "codegen/reserved_glsl.inc"
};

bool has_use(const Argument& argument, vd_argument_access use) { return argument.use == 0 || (argument.use & use); }

void append_block(std::string& out, const Module& m, uint32_t argument, Type element, const char* qualifier,
                  const std::string& name, uint32_t align) {
  const Argument& a = m.kernel.arguments[argument];
  const char* access = !has_use(a, VD_ARGUMENT_ACCESS_WRITE | VD_ARGUMENT_ACCESS_ATOMIC)  ? "readonly "
                       : !has_use(a, VD_ARGUMENT_ACCESS_READ | VD_ARGUMENT_ACCESS_ATOMIC) ? "writeonly "
                                                                                          : "";
  if (!m.dialect.buffer_addresses) {
    out += fmt::format("layout(set = 0, binding = {}, scalar) {}{}buffer Block_{} {{ {}; }} {};\n", a.binding,
                       qualifier, access, name, m.declare(element, "data[]"), name);
    return;
  }
  out += fmt::format("layout(buffer_reference, scalar, buffer_reference_align = {}) {}{}buffer Block_{} {{ {}; }};\n",
                     align, qualifier, access, name, m.declare(element, "data"));
}

void append_addresses(std::string& out, const Module& m) {
  std::string members;
  for (uint32_t i = 0; i < m.kernel.arguments.size(); ++i)
    if (m.kernel.arguments[i].kind == VD_ARGUMENT_BUFFER)
      members += fmt::format("    uint64_t {};\n    uint64_t {};\n", m.arguments[i], m.sizes[i]);
  if (members.empty()) return;
  m.need("GL_EXT_buffer_reference");
  m.need(kInt64);
  out += fmt::format("layout(set = 0, binding = {}, scalar) uniform Block_{} {{\n{}}} {};\n", m.addresses_binding,
                     m.addresses, members, m.addresses);
}

// ---- Images

std::string image_type(Type image) {
  const char* channel = image.scalar() == Scalar::I32 ? "i" : image.scalar() == Scalar::U32 ? "u" : "";
  return fmt::format("{}{}{}D{}", channel, image.is_sampled() ? "sampler" : "image", image.dimensions(),
                     image.is_layered() ? "Array" : "");
}

// "rgba8", "r32f", "rg16ui".
std::string format_name(const TexelFormat& format) {
  const char* kind = format.channel == Channel::Float      ? "f"
                     : format.channel == Channel::Signed   ? "i"
                     : format.channel == Channel::Unsigned ? "ui"
                                                           : "";
  return fmt::format("{}{}{}", std::string_view("rgba").substr(0, format.channels), format.bits, kind);
}

void append_image(std::string& out, const Module& m, uint32_t argument) {
  const Argument& a = m.kernel.arguments[argument];
  const vd_argument_access access = a.type.image_access();
  const char* qualifier = access == VD_ARGUMENT_ACCESS_READ    ? "readonly "
                          : access == VD_ARGUMENT_ACCESS_WRITE ? "writeonly "
                          : access != 0                        ? "coherent "
                                                               : "";
  const std::string format = access != 0 ? ", " + format_name(*find_texel_format(a.type.format())) : "";
  out += fmt::format("layout(set = 0, binding = {}{}) {}uniform {} {};\n", a.binding, format, qualifier,
                     image_type(a.type), m.arguments[argument]);
}

// The texel that a store puts, for a device that rounds and saturates as it likes.
std::string stored_texel(const Module& m, const TexelFormat& format) {
  const uint32_t most = format.bits == 32 ? 0 : (1u << format.bits) - 1;
  switch (format.channel) {
    case Channel::Unorm:
      return "roundEven(clamp(vd_texel, 0.0, 1.0) * 255.0) / 255.0";
    case Channel::Float:
      if (format.bits == 32) return "vd_texel";
      m.need("vd_round_half");
      return "vec4(vd_round_half(vd_texel.x), vd_round_half(vd_texel.y), vd_round_half(vd_texel.z), "
             "vd_round_half(vd_texel.w))";
    case Channel::Signed:
      return format.bits == 32 ? "vd_texel" : fmt::format("clamp(vd_texel, -{}, {})", most / 2 + 1, most / 2);
    default:
      return format.bits == 32 ? "vd_texel" : fmt::format("min(vd_texel, {}u)", most);
  }
}

// Coordinates of a sample, from 0 to 1; layers are numbers.
std::string sampled_place(Type image, const std::string& size) {
  const char* const places[] = {"(vd_at + 0.5) / float({})", "(vd_at + 0.5) / vec2({})", "(vd_at + 0.5) / vec3({})"};
  if (!image.is_layered()) return fmt::format(fmt::runtime(places[image.dimensions() - 1]), size);
  return image.dimensions() == 1 ? fmt::format("vec2((vd_at.x + 0.5) / float({}.x), vd_at.y)", size)
                                 : fmt::format("vec3((vd_at.xy + 0.5) / vec2({}.xy), vd_at.z)", size);
}

// The extent of a level of an image that is sampled. Counted from level 0: lavapipe (Mesa 22.3) takes the level of one
// invocation for all.
std::string level_size(Type image, const std::string& name, const std::string& level) {
  const std::string whole = fmt::format("textureSize({}, 0)", name);
  if (level == "0") return whole;
  if (!image.is_layered()) return fmt::format("max({} >> {}, 1)", whole, level);
  return image.dimensions() == 1 ? fmt::format("ivec2(max({0}.x >> {1}, 1), {0}.y)", whole, level)
                                 : fmt::format("ivec3(max({0}.xy >> {1}, 1), {0}.z)", whole, level);
}

std::string image_function(const Module& m, const ImageFunction& f) {
  const Type image = m.kernel.arguments[f.argument].type;
  const std::string& name = m.arguments[f.argument];
  const std::string texel = m.type(image.texel());
  const auto place = [&](Scalar s) { return m.type(Type::vector(s, image.coordinates())); };
  const auto as_signed = [&](Type t, const std::string& text) {
    return t.is_signed() ? text : m.type(t.with(Scalar::I32)) + "(" + text + ")";
  };
  const std::string level = f.level.none() ? "" : f.level.is_float() ? "vd_level" : as_signed(f.level, "vd_level");
  const std::string parameter = f.level.none() ? "" : (f.at.none() ? "" : ", ") + m.declare(f.level, "vd_level");
  const auto outside = [&](const std::string& size) {
    const std::string type = place(Scalar::U32);
    const std::string at = f.at.is_unsigned() ? "vd_at" : type + "(vd_at)";
    return image.coordinates() == 1 ? fmt::format("{} >= {}({})", at, type, size)
                                    : fmt::format("any(greaterThanEqual({}, {}({})))", at, type, size);
  };
  switch (f.op) {
    case VD_OP_IMAGE_SAMPLE:
      return fmt::format("{} {}({}{}) {{\n    return textureLod({}, {}, {});\n}}\n", texel, f.name,
                         m.declare(f.at, "vd_at"), parameter, name,
                         sampled_place(image, fmt::format("textureSize({}, 0)", name)), level.empty() ? "0.0" : level);
    case VD_OP_IMAGE_LOAD: {
      std::string text = fmt::format("{} {}({}{}) {{\n", texel, f.name, m.declare(f.at, "vd_at"), parameter);
      const std::string zero = m.zero(image.texel()), at = as_signed(f.at, "vd_at");
      // Accesses outside are undefined without robust access.
      if (!level.empty())
        text += fmt::format("    if (uint(vd_level) >= uint(textureQueryLevels({}))) return {};\n", name, zero);
      const std::string of_level = level.empty() ? "0" : level;
      const std::string size =
          image.is_sampled() ? level_size(image, name, of_level) : fmt::format("imageSize({})", name);
      text += fmt::format("    if ({}) return {};\n", outside(size), zero);
      return text + (image.is_sampled() ? fmt::format("    return texelFetch({}, {}, {});\n}}\n", name, at, of_level)
                                        : fmt::format("    return imageLoad({}, {});\n}}\n", name, at));
    }
    case VD_OP_IMAGE_STORE:
      return fmt::format("void {}({}, {} vd_texel) {{\n    if ({}) return;\n    imageStore({}, {}, {});\n}}\n", f.name,
                         m.declare(f.at, "vd_at"), texel, outside(fmt::format("imageSize({})", name)), name,
                         as_signed(f.at, "vd_at"), stored_texel(m, *find_texel_format(image.format())));
    default: {
      const std::string of_level = level.empty() ? "0" : fmt::format("clamp({}, 0, vd_levels - 1)", level);
      const char* rest = image.dimensions() == 3 || (image.is_layered() && image.dimensions() == 2) ? "vd_size"
                         : image.dimensions() == 2                                                  ? "vd_size, 1"
                         : image.is_layered() ? "vd_size.x, 1, vd_size.y"
                                              : "vd_size, 1, 1";
      return fmt::format(
          "ivec4 {}({}) {{\n    int vd_levels = textureQueryLevels({});\n    {} vd_size = {};\n"
          "    return ivec4({}, vd_levels);\n}}\n",
          f.name, parameter, name, place(Scalar::I32), level_size(image, name, of_level), rest);
    }
  }
}

std::string assemble(const Module& m) {
  const Kernel& k = m.kernel;
  std::string blocks;
  for (size_t i = 0; i < m.structs.size(); ++i) {
    const auto& s = k.types.get_struct(Type::structure(static_cast<uint32_t>(i)));
    blocks += "struct " + m.structs[i] + " {\n";
    for (size_t f = 0; f < s.fields.size(); ++f)
      blocks += "    " + m.declare_field(s.fields[f].type, m.fields[i][f]) + ";\n";
    blocks += "};\n";
  }
  for (uint32_t i = 0; i < k.arguments.size(); ++i)
    if (k.arguments[i].kind == VD_ARGUMENT_BUFFER)
      append_block(blocks, m, i, k.arguments[i].type, "", m.arguments[i],
                   argument_align(k.types.size(k.arguments[i].type)));
  for (uint32_t i = 0; i < k.arguments.size(); ++i)
    if (k.arguments[i].kind == VD_ARGUMENT_IMAGE) append_image(blocks, m, i);
  for (const View& view : m.views)
    append_block(blocks, m, view.argument, view.element,
                 !view.coherent                ? ""
                 : !m.dialect.buffer_addresses ? "coherent "
                                               : "coherent volatile ",  // see Dialect::whole_vector
                 view.name, view.align);
  if (m.dialect.buffer_addresses) append_addresses(blocks, m);
  if (m.value_place != ValuePlace::None) {
    blocks += m.value_place == ValuePlace::PushConstant
                  ? std::string("layout(push_constant, scalar) uniform Block_values {\n")
                  : fmt::format("layout(set = 0, binding = {}, scalar) uniform Block_values {{\n", m.values_binding);
    for (const ValueMember& member : m.value_members())
      blocks += fmt::format("    layout(offset = {}) {};\n", member.offset, m.declare_field(member.type, member.name));
    blocks += "} " + m.values + ";\n";
  }
  for (size_t i = 0; i < k.shareds.size(); ++i)
    blocks += fmt::format("shared {}[{}];\n", m.declare(k.shareds[i].element, m.shareds[i]), k.shareds[i].count);
  for (const auto& [index, name] : m.constants) {
    const Constant& c = k.constants[index];
    blocks += "const " + m.declare(c.type, name) + " = " + m.constant_text(c.type, c.bytes.data()) + ";\n";
  }

  std::string wholes;
  for (const Type type : m.wholes) wholes += fmt::format("{0} vd_whole({0} v) {{\n    return v;\n}}\n", m.type(type));
  std::string images;
  for (const ImageFunction& function : m.image_functions) images += image_function(m, function);

  std::string out = "#version 450\n#extension GL_EXT_scalar_block_layout : require\n";
  for (const std::string& name : m.needs)
    if (name.starts_with("GL_")) out += "#extension " + name + " : require\n";
  out += fmt::format("layout(local_size_x = {}, local_size_y = {}, local_size_z = {}) in;\n\n", m.workgroup_size[0],
                     m.workgroup_size[1], m.workgroup_size[2]);
  out += blocks;
  if (!blocks.empty()) out += '\n';
  out += m.snippets();
  out += precise_sources(m);
  out += wholes;
  out += images;
  return out + "void main() {\n" + m.declarations + m.body + "}\n";
}

}  // namespace

const Dialect kGlsl = {
    .name = "GLSL",
    .entry = "main",
    .scalar_types = {"", "bool", "int8_t", "int16_t", "int", "int64_t", "uint8_t", "uint16_t", "uint", "uint64_t",
                     "float16_t", "float", "double"},
    .vector_types = {"", "bvec{n}", "i8vec{n}", "i16vec{n}", "ivec{n}", "i64vec{n}", "u8vec{n}", "u16vec{n}", "uvec{n}",
                     "u64vec{n}", "f16vec{n}", "vec{n}", "dvec{n}"},
    .matrix_types = {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                     "f16mat{n}x{m}", "mat{n}x{m}", "dmat{n}x{m}"},
    .type_needs = {nullptr, nullptr, kInt8, kInt16, nullptr, kInt64, kInt8, kInt16, nullptr, kInt64, kFloat16, nullptr,
                   nullptr},
    .subgroup_needs = {nullptr, nullptr, kSubgroup8, kSubgroup16, nullptr, kSubgroup64, kSubgroup8, kSubgroup16,
                       nullptr, kSubgroup64, kSubgroupHalf, nullptr, nullptr},
    .literal_suffix = {"", "", "", "", "", "l", "", "", "u", "ul", "hf", "", "lf"},
    .literal_cast = "{T}({0})",
    .from_bits = {"", "", "", "", "", "", "", "", "", "", "unpackFloat2x16({0}u).x", "uintBitsToFloat({0})",
                  "packDouble2x32(uvec2({lo}u, {hi}u))"},
    .constant = "const ",
    .precise = "precise ",
    .function = "{T} {name}({0}) {\n",
    .construct = "{T}({0})",
    .construct_matrix = "{T}({0})",
    .construct_struct = "{T}({0})",
    .construct_array = "{T}({0})",
    .splat = "{T}({0})",
    .construct_precedence = kPrimary,
    .component = "{0!}.{c}",
    .swizzle = "{0!}.{c}",
    .column = "{0!}[{i}]",
    .dynamic_component = "{0!}[{i}]",
    .dynamic_place = "{0!}[{i}]",
    .component_place = "{0!}.{c}",  // in SPIR-V a store through an access chain to the scalar
    .spaces = {"", "", "", "", "", ""},
    .pointer_view = nullptr,
    .wide_lvalue = nullptr,
    .coherent_place = nullptr,
    .streaming_load = nullptr,
    .streaming_store = nullptr,
    .streaming_needs = nullptr,
    .buffer_element = "{0}.data[{1}]",
    .wide_indices = false,
    .wide_elements = false,
    .value_member = "{0}.{1}",
    .packed_suffix = nullptr,
    .packs_three = false,
    .packs_fields = false,
    .packs_matrices = false,
    .packed_load = "",
    .packed_store = "",
    .array_values = true,
    .barrier_orders_buffers = false,
    .saturates = 0,
    .nan_converts_to_zero = false,
    .subgroup_size = 0,
    .static_shared_limit = 0xffffffffu,
    .printf = "debugPrintfEXT",
    .printf_needs = "GL_EXT_debug_printf",
    .printf_long = "l",
    .unroll_full = "[[unroll]]",
    .unroll_count = nullptr,
    .unroll_never = "[[dont_unroll]]",
    .unroll_needs = "GL_EXT_control_flow_attributes",
    .fences = {{"memoryBarrier()", "memoryBarrierBuffer()", "memoryBarrierShared()", "memoryBarrierImage()"},
               {"groupMemoryBarrier()", "groupMemoryBarrier()", "memoryBarrierShared()", "groupMemoryBarrier()"},
               {"groupMemoryBarrier()", "groupMemoryBarrier()", "memoryBarrierShared()", "groupMemoryBarrier()"},
               {"memoryBarrier()", "memoryBarrierBuffer()", "memoryBarrierShared()", "memoryBarrierImage()"},
               {"memoryBarrier()", "memoryBarrierBuffer()", "memoryBarrierShared()", "memoryBarrierImage()"}},
    .value_limit = 128,
    .small_values = ValuePlace::PushConstant,
    .large_values = ValuePlace::UniformBlock,
    .rules = kRules,
    .builtins = kBuiltins,
    .snippets = kSnippets,
    .reserved = kReserved,
    .image_function = image_function,
    .assemble = assemble,
};

const Dialect& glsl_by_address() {
  static const Dialect dialect = [] {
    Dialect d = kGlsl;
    d.buffer_addresses = d.wide_elements = true;
    d.buffer_element = "Block_{0}({a} + {s}ul * uint64_t({1}){k}).data";
    d.clamped_element = "min(uint64_t({1}), ({z} - {n}ul) / {s}ul)";
    d.whole_vector = "vd_whole({0})";
    d.clamped_index = "uint(min(uint64_t({1}), {n}ul))";
    return d;
  }();
  return dialect;
}

}  // namespace vd::codegen
