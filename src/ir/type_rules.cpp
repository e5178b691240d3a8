#include "ir/type_rules.h"

#include <algorithm>

#include "core/error.h"
#include "ir/contents.h"

namespace vd::ir {
namespace {

bool is_number(Type t) {
  return (t.is_scalar() || t.is_vector()) && (t.is_integer() || t.is_float()) && !t.is_reference();
}
bool is_integers(Type t) { return is_number(t) && t.is_integer(); }
bool is_floats(Type t) { return is_number(t) && t.is_float(); }
bool is_bools(Type t) { return (t.is_scalar() || t.is_vector()) && t.is_bool() && !t.is_reference(); }
bool is_complex(Type t) { return t.is_complex() && !t.is_reference(); }
bool is_matrix(Type t) { return t.is_matrix() && !t.is_reference(); }
bool is_float_scalar(Type t) { return t.is_scalar() && t.is_float() && !t.is_reference(); }
bool is_sized(const TypeTable& types, Type t) { return !t.is_reference() && types.size(t) != 0; }
bool is_printable(Type t) { return is_number(t) || is_bools(t) || is_complex(t) || is_matrix(t); }
// Whether atomics work on a type.
bool is_atomic(Type t, bool floats) {
  return t.is_scalar() && scalar_size(t.scalar()) >= 4 && (t.is_integer() || (floats && t.is_float()));
}

// One call's worth of checking, so that messages can show all of it.
class Check {
 public:
  Check(const TypeTable& types, Op op, Type given, std::span<const Type> operands, uint64_t immediate)
      : types_(types), info_(op_info(op)), given_(given), operands_(operands), immediate_(immediate) {}

  Type run() {
    const size_t count = operands_.size();
    if (count < info_.min_operands || count > info_.max_operands) {
      if (info_.min_operands == info_.max_operands) {
        fail(VD_ERR_INVALID, "{}: operand count ({}) is not {}: ({}).", info_.name, count, info_.min_operands,
             info_.operand_names);
      }
      fail(VD_ERR_INVALID, "{}: operand count ({}) is not in {}..{}: ({}).", info_.name, count, info_.min_operands,
           info_.max_operands, info_.operand_names);
    }
    if (!given_.none() && !types_.is_valid(given_))
      fail(VD_ERR_INVALID, "{}: type ({}) is unknown.", info_.name, shown_type(given_));
    check_immediate();
    check_operands();
    const Type type = result();
    if (!given_.none() && given_ != type) {
      fail(VD_ERR_INVALID, "{}: the result of ({}) has type {}, not {}.", info_.name, type_list(types_, operands_),
           type.none() ? "none" : types_.name(type), types_.name(given_));
    }
    return type;
  }

 private:
  [[noreturn]] void wrong(const char* wanted) const {
    fail(VD_ERR_INVALID, "{}: operands have types ({}), and it takes {}{}.", info_.name, type_list(types_, operands_),
         wanted, remedy());
  }
  [[noreturn]] void wrong_result(const char* wanted) const {
    fail(VD_ERR_INVALID, "{}: type ({}) of the result is not {}.", info_.name,
         given_.none() ? "none" : types_.name(given_), wanted);
  }
  void need(bool good, const char* wanted) const {
    if (!good) wrong(wanted);
  }
  template <class F>
  void all_same(F&& good, const char* wanted) const {
    for (const Type t : operands_) need(good(t) && t == operands_[0], wanted);
  }
  Type first() const { return operands_[0]; }
  void check_scalars(Type t) const {
    if (!t.is_array() && !t.is_struct()) return;
    const uint64_t scalars = contents_of(types_, t).scalars;
    if (scalars <= kMaxScalars) return;
    fail(VD_ERR_INVALID, "{}: type {} has {} scalars, which is past the limit of a value ({}).", info_.name,
         types_.name(t.value()), scalars, kMaxScalars);
  }

  const char* remedy() const;
  void check_immediate() const;
  void check_operands() const;
  void check_components() const;
  void check_place(bool floats) const;
  void check_product(const char* wanted) const;
  Type result() const;
  Type matmul() const;

  const TypeTable& types_;
  const OpInfo& info_;
  const Type given_;
  const std::span<const Type> operands_;
  const uint64_t immediate_;
};

// The op that makes the operands fit, as the end of a message; "" if there is no single one.
const char* Check::remedy() const {
  const auto differ = [](Type a, Type b) {
    return is_number(a) && is_number(b) && a.count() == b.count() && a.scalar() != b.scalar();
  };
  const auto any_differs = [&](Type from) {
    return std::ranges::any_of(operands_.subspan(1), [&](Type t) { return differ(from, t); });
  };
  switch (info_.operands) {
    case OperandRule::Integers:
      if (is_bools(first())) return "; combine bools with land, lor, ne and lnot";
      return operands_.size() > 1 && any_differs(first()) ? "; make the types equal with convert" : "";
    case OperandRule::Booleans:
    case OperandRule::Condition:
    case OperandRule::Assert:
    case OperandRule::Select:
      return is_number(first()) ? "; compare the number with ne to get a bool" : "";
    case OperandRule::Index:
      return is_floats(operands_[1]) ? "; change the index to an integer with convert" : "";
    case OperandRule::Reference:
    case OperandRule::Store:
    case OperandRule::AtomicNumber:
    case OperandRule::AtomicInteger:
      if (first().space() == Space::Uniform && info_.operands != OperandRule::Reference)
        return "; only buffers, shared arrays and variables can be written";
      if (!first().is_reference()) return "; index an array, or make a variable with var, to get a reference";
      return any_differs(first().value()) ? "; change the value's type with convert" : "";
    default:
      return operands_.size() > 1 && any_differs(first()) ? "; make the types equal with convert" : "";
  }
}

void Check::check_immediate() const {
  const auto limit = [&](bool good, const char* wanted) {
    if (!good) fail(VD_ERR_INVALID, "{}: immediate ({:#x}) is not {}.", info_.name, immediate_, wanted);
  };
  if (info_.immediate == ImmediateRule::Bits) return;
  if ((immediate_ & kClassBits) != 0) {
    limit(info_.has(kFloat), "without VD_MATH_PRECISE and VD_MATH_NATIVE, which ops of floats take");
    limit((immediate_ & kClassBits) != kClassBits, "one of VD_MATH_PRECISE and VD_MATH_NATIVE");
  }
  const uint64_t plain = plain_immediate(immediate_);
  switch (info_.immediate) {
    case ImmediateRule::None:
      return limit(plain == 0, "0");
    case ImmediateRule::Internal:
    case ImmediateRule::Bits:
    case ImmediateRule::Field:  // of the struct, which the result rule looks at
      return;
    case ImmediateRule::Builtin:
      return limit(plain < kBuiltinCount, "a vd_builtin");
    case ImmediateRule::Access: {
      const uint32_t width = plain & 0xff, align = plain >> 8 & 0xff;
      constexpr uint64_t known = 0xffff | VD_ACCESS_STREAMING | VD_ACCESS_KEEP | VD_ACCESS_COHERENT;
      return limit((plain & ~known) == 0 && (width <= 2 || width == 4) && align <= 9, "a vd_access");
    }
    case ImmediateRule::Swizzle:
      return limit((plain & ~uint64_t{0xfff}) == 0, "an order of 1 to 4 components among x, y, z and w");
    case ImmediateRule::CopySize:
      return limit(plain == 4 || plain == 8 || plain == 16, "4, 8 or 16");
    case ImmediateRule::Groups:
      return limit(plain <= 0xff, "0 to 255");
    case ImmediateRule::Memory:
      return limit((plain & ~uint64_t{0x7ff}) == 0 && (plain & 0xf) <= 3 && (plain >> 4 & 0xf) <= 4, "a vd_memory");
    case ImmediateRule::Loop:
      return limit(plain <= VD_LOOP_FULL, "0 to 65535");
    case ImmediateRule::Resume:
      return limit(plain <= 1, "0 or 1");
  }
}

void Check::check_components() const {
  const Type type = given_;
  const Scalar s = type.scalar();
  const auto same_scalar = [&](Type t) { return !t.is_reference() && t.scalar() == s; };
  if (type.is_reference()) wrong_result("a value");
  switch (type.shape()) {
    case Shape::Scalar:
      need(operands_.size() == 1 && first() == type, "one scalar of the result's type");
      return;
    case Shape::Vector: {
      uint32_t total = 0;
      for (const Type t : operands_) {
        need((t.is_scalar() || t.is_vector()) && same_scalar(t), "scalars and vectors of the result's scalar");
        total += t.count();
      }
      need(total == type.count() || (operands_.size() == 1 && first().is_scalar()),
           "one scalar, or as many components as the result");
      return;
    }
    case Shape::Complex:
      need(operands_.size() <= 2, "one or two reals");
      for (const Type t : operands_) need(t == Type(s), "one or two reals of the result's scalar");
      return;
    case Shape::Matrix: {
      if (operands_.size() == 1 && first() == Type(s)) return;
      if (operands_.size() == 1 && is_matrix(first()) && same_scalar(first())) return;
      const bool columns = operands_.size() == type.count() &&
                           std::ranges::all_of(operands_, [&](Type t) { return t == type.component(); });
      const bool scalars = operands_.size() == type.count() * type.rows() &&
                           std::ranges::all_of(operands_, [&](Type t) { return t == Type(s); });
      need(columns || scalars, "one scalar, a matrix, as many columns or as many scalars as the result");
      return;
    }
    case Shape::Array: {
      const auto& array = types_.get_array(type);
      need(
          operands_.size() == array.count && std::ranges::all_of(operands_, [&](Type t) { return t == array.element; }),
          "as many elements as the array");
      return;
    }
    case Shape::Struct: {
      const auto& fields = types_.get_struct(type).fields;
      need(operands_.size() == fields.size(), "as many values as the struct has fields");
      for (size_t i = 0; i < fields.size(); ++i) need(operands_[i] == fields[i].type, "values of the fields' types");
      return;
    }
    default:
      wrong_result("a type with components");
  }
}

// The second operand: a place in the image that the first one is.
void Check::check_place(bool floats) const {
  const Type image = first(), at = operands_[1];
  const auto fits = [&](Type t) { return t == kF32 ? floats : !floats && (t == kI32 || t == kU32); };
  if (!at.is_reference() && (at.is_scalar() || at.is_vector()) && fits(Type(at.scalar())) &&
      at.count() == image.coordinates()) {
    return;
  }
  fail(VD_ERR_INVALID, "{}: a place in an {} is {} {}, and the operand has type {}.", info_.name, types_.name(image),
       image.coordinates(), floats ? "f32" : "i32 or u32", types_.name(at));
}

void Check::check_product(const char* wanted) const {
  const Type a = first(), b = operands_[1];
  if (a == b && (is_number(a) || is_complex(a))) return;
  need((is_complex(a) || is_matrix(a)) && b == Type(a.scalar()), wanted);
}

void Check::check_operands() const {
  switch (info_.operands) {
    case OperandRule::None:
    case OperandRule::Any:
    case OperandRule::Return:
      return;
    case OperandRule::Value:
      return need(is_sized(types_, first()), "a value");
    case OperandRule::Buffer:
      return need(first().is_array() && (first().space() == Space::Storage || first().space() == Space::Shared),
                  "a buffer or shared array");
    case OperandRule::Index:
      need(!element_type(types_, first()).none(), "a buffer, array, vector, complex or matrix, and an integer");
      return need(operands_[1].is_scalar() && operands_[1].is_integer() && !operands_[1].is_reference(),
                  "an integer as index");
    case OperandRule::Struct:
      need(first().is_struct(), "a struct");
      if (plain_immediate(immediate_) >= types_.get_struct(first()).fields.size()) {
        fail(VD_ERR_INVALID, "member: field ({}) is past the end of struct \"{}\" ({} fields).", immediate_,
             types_.get_struct(first()).name, types_.get_struct(first()).fields.size());
      }
      return;
    case OperandRule::Reference:
      need(first().is_reference() && types_.size(first().value()) != 0, "a reference to a value of fixed size");
      check_scalars(first());
      if (access_width(immediate_) > 1) need(first().is_scalar(), "a reference to a scalar, for a wide access");
      return;
    case OperandRule::Store: {
      need(first().is_reference() && first().space() != Space::Uniform, "a reference that may be written, and a value");
      Type wanted = first().value();
      if (access_width(immediate_) > 1) {
        need(first().is_scalar(), "a reference to a scalar, for a wide access");
        wanted = Type::vector(wanted.scalar(), access_width(immediate_));
      }
      check_scalars(wanted);
      return need(types_.size(wanted) != 0 && operands_[1] == wanted, "a reference and a value of the same type");
    }
    case OperandRule::View:
      return need(first().is_array() && (first().space() == Space::Storage || first().space() == Space::Shared ||
                                         first().space() == Space::Cluster),
                  "a buffer or shared array");
    case OperandRule::Initial:
      if (!operands_.empty()) need(is_sized(types_, first()), "a first value");
      return;
    case OperandRule::Swizzle: {
      need(is_number(first()) || is_bools(first()) || is_complex(first()), "a scalar, vector or complex");
      const uint64_t plain = plain_immediate(immediate_);
      const uint32_t n = plain >> 8 & 0xf;
      bool good = n >= 1 && n <= 4 && (plain & 0xff) >> (2 * n) == 0;
      for (uint32_t i = 0; i < n; ++i) good &= (plain >> (2 * i) & 3) < first().count();
      if (!good) {
        fail(VD_ERR_INVALID, "swizzle: immediate ({:#x}) does not pick 1 to 4 components of type {}.", plain,
             types_.name(first()));
      }
      return;
    }
    case OperandRule::Components:
      return check_components();
    case OperandRule::Copy:
      return need(first().space() == Space::Shared && operands_[1].space() == Space::Storage &&
                      types_.size(first().value()) != 0 && types_.size(operands_[1].value()) != 0,
                  "a shared reference and a buffer reference");
    case OperandRule::Arithmetic:
      return all_same([](Type t) { return is_number(t) || is_complex(t) || is_matrix(t); },
                      "numbers, complex or matrices of one type");
    case OperandRule::Numbers:
      return all_same(is_number, "integers or floats of one type");
    case OperandRule::Integers:
      return all_same(is_integers, "integers of one type");
    case OperandRule::Floats:
      return all_same(is_floats, "floats of one type");
    case OperandRule::Transcendental:
      return all_same([](Type t) { return is_floats(t) || is_complex(t); }, "floats or complex of one type");
    case OperandRule::Absolute:
      return need(is_number(first()) || is_complex(first()), "a number or complex");
    case OperandRule::Product:
      return check_product("numbers or complex of one type, or complex or matrix and its scalar");
    case OperandRule::Quotient:
      return check_product("numbers or complex of one type, or complex or matrix and its scalar");
    case OperandRule::Shift:
      return need(is_integers(first()) && is_integers(operands_[1]) && first().count() == operands_[1].count(),
                  "integers and as many integers as counts");
    case OperandRule::Equality:
      return all_same([](Type t) { return is_number(t) || is_bools(t) || is_complex(t) || is_matrix(t); },
                      "two values of one type");
    case OperandRule::Booleans:
      return all_same(is_bools, "bools");
    case OperandRule::Bits:
      return all_same([](Type t) { return is_integers(t) || is_bools(t); }, "integers or bools");
    case OperandRule::Sum:
      return need(is_number(first()) || is_complex(first()), "numbers or complex");
    case OperandRule::Select:
      need(is_bools(first()) && operands_[1] == operands_[2] && is_sized(types_, operands_[1]),
           "a bool and two values of one type");
      return need(first().is_scalar() || (operands_[1].is_vector() && operands_[1].count() == first().count()),
                  "a bool, or as many bools as the values have components");
    case OperandRule::Convert: {
      need(is_printable(first()), "a scalar, vector, complex or matrix");
      if (given_.is_reference() || first().with(given_.scalar()) != given_ || given_.scalar() == Scalar::None ||
          given_.scalar() > Scalar::F64) {
        wrong_result("of the operand's shape");
      }
      if (given_.is_complex() || given_.is_matrix()) {
        if (!given_.is_float()) wrong_result("made of floats");
      }
      return;
    }
    case OperandRule::Bitcast:
      need(is_number(first()) || is_complex(first()), "numbers or complex");
      if (!(is_number(given_) || is_complex(given_)) || types_.size(given_) != types_.size(first())) {
        wrong_result("a number of the operand's size");
      }
      return;
    case OperandRule::Dot:
      return all_same(is_number, "two vectors of one type");
    case OperandRule::Cross:
      return all_same([](Type t) { return is_floats(t) && t.count() == 3; }, "two vectors of 3 floats");
    case OperandRule::Geometry:
      return all_same(is_floats, "float vectors of one type");
    case OperandRule::Complex:
      return need(is_complex(first()), "a complex");
    case OperandRule::Angle:
      return need(is_float_scalar(first()), "a float");
    case OperandRule::Matrix:
      return need(is_matrix(first()), "a matrix");
    case OperandRule::SquareMatrix:
      return need(is_matrix(first()) && first().count() == first().rows(), "a square matrix");
    case OperandRule::Outer:
      return need(is_floats(first()) && first().is_vector() && operands_[1].is_vector() && is_floats(operands_[1]) &&
                      first().scalar() == operands_[1].scalar(),
                  "two float vectors");
    case OperandRule::Matmul:
      matmul();
      return;
    case OperandRule::AtomicNumber:
    case OperandRule::AtomicInteger: {
      const bool floats = info_.operands == OperandRule::AtomicNumber;
      need((first().space() == Space::Storage || first().space() == Space::Shared ||
            first().space() == Space::Cluster) &&
               is_atomic(first(), floats),
           floats ? "a reference to a 32- or 64-bit scalar of a buffer or shared array"
                  : "a reference to a 32- or 64-bit integer of a buffer or shared array");
      for (size_t i = 1; i < operands_.size(); ++i)
        need(operands_[i] == first().value(), "values of the reference's type");
      return;
    }
    case OperandRule::Cluster:
      return need(first().space() == Space::Shared && (first().is_scalar() || first().is_complex()) &&
                      !is_bools(first()) && types_.size(first().value()) >= 4 && operands_[1] == kU32,
                  "a reference to a scalar or complex number of 4 bytes or more in shared memory, and an u32");
    case OperandRule::Exchange:
      need(is_number(first()) || is_bools(first()) || is_complex(first()), "a scalar, vector or complex");
      if (operands_.size() > 1) need(operands_[1] == kU32 || operands_[1] == kI32, "a value and a u32 or i32");
      return;
    case OperandRule::Condition:
      return need(first() == kBool, "a bool");
    case OperandRule::Counter:
      return all_same([](Type t) { return t == kI32 || t == kU32 || t == kI64 || t == kU64; },
                      "three integers of one type, of 32 or 64 bits");
    case OperandRule::String:
      return need(first() == Type::string(), "a string");
    case OperandRule::Printf:
      need(first() == Type::string(), "a string and values");
      for (const Type t : operands_.subspan(1))
        need((is_number(t) || is_bools(t)) && t.is_scalar(), "a string and scalars");
      return;
    case OperandRule::Assert:
      need(first() == kBool, "a bool and a string");
      if (operands_.size() > 1) need(operands_[1] == Type::string(), "a bool and a string");
      return;
    case OperandRule::Sample:
      need(first().is_sampled(), "an image that is sampled, a place and a level");
      check_place(true);
      if (operands_.size() > 2) need(operands_[2] == kF32, "an f32 as level");
      return;
    case OperandRule::Fetch:
      need(first().is_sampled() || (first().image_access() & VD_ARGUMENT_ACCESS_READ) != 0,
           "an image that is sampled or read, a place and a level");
      check_place(false);
      if (operands_.size() > 2)
        need(first().is_sampled() && (operands_[2] == kI32 || operands_[2] == kU32),
             "an i32 or u32 as level, and only of an image that is sampled");
      return;
    case OperandRule::Put:
      need((first().image_access() & VD_ARGUMENT_ACCESS_WRITE) != 0, "an image that is written, a place and a texel");
      check_place(false);
      return need(operands_[2] == first().texel(), "a texel of four channels of the image");
    case OperandRule::Image:
      need(first().is_image(), "an image");
      if (operands_.size() > 1) need(operands_[1] == kI32 || operands_[1] == kU32, "an i32 or u32 as level");
      return;
  }
}

Type Check::matmul() const {
  constexpr const char* wanted = "matrix * matrix, matrix * vector or vector * matrix of fitting sizes";
  const Type a = first(), b = operands_[1];
  need((is_matrix(a) || is_floats(a)) && (is_matrix(b) || is_floats(b)) && a.scalar() == b.scalar(), wanted);
  if (is_matrix(a) && is_matrix(b)) {
    need(a.count() == b.rows(), wanted);
    return Type::matrix(a.scalar(), b.count(), a.rows());
  }
  if (is_matrix(a)) {
    need(b.is_vector() && b.count() == a.count(), wanted);
    return Type::vector(a.scalar(), a.rows());
  }
  need(a.is_vector() && is_matrix(b) && a.count() == b.rows(), wanted);
  return Type::vector(a.scalar(), b.count());
}

Type Check::result() const {
  switch (info_.result) {
    case ResultRule::Nothing:
      return Type();
    case ResultRule::Any:
      return given_;
    case ResultRule::First:
      return first();
    case ResultRule::Second:
      return operands_[1];
    case ResultRule::Constant:
      if (!(is_number(given_) || is_bools(given_) || is_complex(given_))) wrong_result("a scalar, vector or complex");
      return given_;
    case ResultRule::Sized:
      if (!is_sized(types_, given_)) wrong_result("a value's");
      check_scalars(given_);
      return given_;
    case ResultRule::Builtin:
      return builtin_type(static_cast<uint32_t>(immediate_));
    case ResultRule::Shape:
      return Type::vector(Scalar::I32, 4);
    case ResultRule::Element:
      return element_type(types_, first()).in(first().space());
    case ResultRule::Field:
      return types_.get_struct(first()).fields[plain_immediate(immediate_)].type.in(first().space());
    case ResultRule::Loaded: {
      const uint32_t width = access_width(immediate_);
      return width > 1 ? Type::vector(first().scalar(), width) : first().value();
    }
    case ResultRule::View: {
      const bool good = given_.is_array() && given_.index() < types_.array_count() && given_.space() == first().space();
      if (!good) wrong_result("an array in the same space");
      const auto& from = types_.get_array(first());
      const auto& to = types_.get_array(given_);
      if ((to.count == 0) != (from.count == 0) || to.size > from.size)
        wrong_result("an array of at most as many bytes");
      return given_;
    }
    case ResultRule::Variable: {
      const Type type = given_.none() && !operands_.empty() ? first().in(Space::Private) : given_;
      if (!is_sized(types_, type.value()) || (type.space() != Space::Private && !given_.none()))
        wrong_result("a private reference");
      if (!operands_.empty() && first() != type.value()) wrong("a first value of the variable's type");
      check_scalars(type);
      return type;
    }
    case ResultRule::Swizzle:
      return Type::vector(first().scalar(), static_cast<uint32_t>(immediate_ >> 8 & 0xf));
    case ResultRule::Real:
      return info_.op == VD_OP_ABS && !is_complex(first()) ? first() : Type(first().scalar());
    case ResultRule::Comparison:
      return first().is_vector() ? Type::vector(Scalar::Bool, first().count()) : kBool;
    case ResultRule::Bool:
      return kBool;
    case ResultRule::Ballot:
      return Type::vector(Scalar::U32, 4);
    case ResultRule::Convert:
    case ResultRule::Bitcast:
      return given_;
    case ResultRule::Cis:
      return Type::complex(first().scalar());
    case ResultRule::Transposed:
      return Type::matrix(first().scalar(), first().rows(), first().count());
    case ResultRule::Outer:
      return Type::matrix(first().scalar(), operands_[1].count(), first().count());
    case ResultRule::Matmul:
      return matmul();
    case ResultRule::Atomic:
      return first().value();
    case ResultRule::Texel:
      return first().texel();
  }
  return Type();
}

}  // namespace

Type result_type(const TypeTable& types, Op op, Type given, std::span<const Type> operands, uint64_t immediate) {
  return Check(types, op, given, operands, immediate).run();
}

uint32_t reference_operands(Op op) {
  switch (op_info(op).operands) {
    case OperandRule::Buffer:
    case OperandRule::Index:
    case OperandRule::Struct:
    case OperandRule::Reference:
    case OperandRule::Store:
    case OperandRule::View:
    case OperandRule::AtomicNumber:
    case OperandRule::AtomicInteger:
    case OperandRule::Cluster:
      return 1;
    case OperandRule::Copy:
      return 3;
    default:
      return 0;
  }
}

Type element_type(const TypeTable& types, Type type) {
  switch (type.shape()) {
    case Shape::Vector:
    case Shape::Complex:
    case Shape::Matrix:
      return type.value().component();
    case Shape::Array:
      return type.index() < types.array_count() ? types.get_array(type).element : Type();
    default:
      return Type();
  }
}

uint32_t element_count(const TypeTable& types, Type type) {
  return type.is_array() ? types.get_array(type).count : type.count();
}

std::string type_list(const TypeTable& types, std::span<const Type> list) {
  std::string text;
  for (const Type t : list) {
    if (!text.empty()) text += ", ";
    text += types.name(t);
  }
  return text;
}

}  // namespace vd::ir
