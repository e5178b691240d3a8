#include "ir/type.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "core/error.h"
#include "core/texel.h"

namespace vd::ir {
namespace {

constexpr std::array<const char*, 13> kScalarNames = {"none", "bool", "i8",  "i16", "i32", "i64", "u8",
                                                      "u16",  "u32",  "u64", "f16", "f32", "f64"};
constexpr std::array<uint32_t, 13> kScalarSizes = {0, 4, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8};
constexpr std::array<const char*, 6> kSpaceNames = {"", "private", "shared", "storage", "uniform", "cluster"};

Scalar parse_scalar(std::string_view name) {
  for (size_t i = 1; i < kScalarNames.size(); ++i) {
    if (name == kScalarNames[i]) return static_cast<Scalar>(i);
  }
  return Scalar::None;
}

bool is_channel(Scalar s) { return s == Scalar::F32 || s == Scalar::I32 || s == Scalar::U32; }

// "image2d_f32", "image2d_array_f32_rw_rgba16_f32".
std::string image_name(Type type, const std::string& channel) {
  std::string name = fmt::format("image{}d{}_{}", type.dimensions(), type.is_layered() ? "_array" : "", channel);
  if (type.image_access() != 0) {
    name += '_';
    if ((type.image_access() & VD_ARGUMENT_ACCESS_READ) != 0) name += 'r';
    if ((type.image_access() & VD_ARGUMENT_ACCESS_WRITE) != 0) name += 'w';
  }
  if (type.format() != VD_FORMAT_NONE) {
    const TexelFormat* format = find_texel_format(type.format());
    name += format != nullptr ? fmt::format("_{}", format->name) : fmt::format("_format{}", +type.format());
  }
  return name;
}

Type parse_image(std::string_view text) {
  const auto accept = [&](std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
  };
  if (!accept("image") || text.empty() || text[0] < '1' || text[0] > '3') return Type();
  const auto dimensions = static_cast<uint32_t>(text[0] - '0');
  text.remove_prefix(1);
  if (!accept("d_")) return Type();
  const bool layered = accept("array_");
  const size_t end = std::min(text.find('_'), text.size());
  const Scalar channel = parse_scalar(text.substr(0, end));
  text.remove_prefix(end);
  vd_argument_access access = 0;
  if (accept("_rw_")) {
    access = VD_ARGUMENT_ACCESS_READ | VD_ARGUMENT_ACCESS_WRITE;
  } else if (accept("_r_")) {
    access = VD_ARGUMENT_ACCESS_READ;
  } else if (accept("_w_")) {
    access = VD_ARGUMENT_ACCESS_WRITE;
  } else {
    return text.empty() ? Type::image(channel, dimensions, layered) : Type();
  }
  const TexelFormat* format = find_texel_format(text);
  return format == nullptr ? Type() : Type::image(channel, dimensions, layered, access, format->format);
}

// Table numbers live in 16 bits of a type.
constexpr size_t kMaxTableEntries = 0xffff;
// No object of a kernel is larger, so sizes never overflow.
constexpr uint64_t kMaxSize = uint64_t{1} << 31;
constexpr uint32_t kMaxTypeDepth = 16;

}  // namespace

Type channel_type(const TexelFormat& format) {
  return format.is_float() ? kF32 : format.channel == Channel::Signed ? kI32 : kU32;
}

uint32_t scalar_size(Scalar s) {
  const auto number = static_cast<uint32_t>(s);
  return number < kScalarSizes.size() ? kScalarSizes[number] : 0;
}

std::string type_name(Type type) {
  std::string name;
  const auto number = static_cast<uint32_t>(type.scalar());
  const std::string scalar = number < kScalarNames.size() ? kScalarNames[number] : fmt::format("scalar{}", number);
  switch (type.shape()) {
    case Shape::Scalar:
      name = scalar;
      break;
    case Shape::Vector:
      name = fmt::format("{}x{}", scalar, type.count());
      break;
    case Shape::Complex:
      name = "complex_" + scalar;
      break;
    case Shape::Matrix:
      name = type.count() == type.rows() ? fmt::format("{}m{}", scalar, type.count())
                                         : fmt::format("{}m{}x{}", scalar, type.count(), type.rows());
      break;
    case Shape::Array:
      name = fmt::format("array{}", type.index());
      break;
    case Shape::Struct:
      name = fmt::format("struct{}", type.index());
      break;
    case Shape::Image:
      name = image_name(type, scalar);
      break;
    case Shape::String:
      name = "string";
      break;
    default:
      name = fmt::format("type{:#x}", type.value().bits());
      break;
  }
  if (!type.is_reference()) return name;
  const auto space = static_cast<uint32_t>(type.space());
  return fmt::format("{} {}", space < kSpaceNames.size() ? kSpaceNames[space] : "unknown", name);
}

Type parse_type(const std::string& name) {
  std::string_view text = name;
  constexpr std::string_view kComplex = "complex_";
  if (text.starts_with(kComplex)) {
    const Scalar s = parse_scalar(text.substr(kComplex.size()));
    return s >= Scalar::F16 ? Type::complex(s) : Type();
  }
  if (text == "string") return Type::string();
  if (text.starts_with("image")) return parse_image(text);
  const size_t end = text.find_first_of("xm");
  const Scalar s = parse_scalar(text.substr(0, end));
  if (s == Scalar::None) return Type();
  if (end == std::string_view::npos) return Type(s);
  const std::string_view counts = text.substr(end + 1);
  const auto digit = [&](size_t at) -> uint32_t {
    return at < counts.size() && counts[at] >= '2' && counts[at] <= '4' ? static_cast<uint32_t>(counts[at] - '0') : 0;
  };
  if (text[end] == 'x') return counts.size() == 1 && digit(0) != 0 ? Type::vector(s, digit(0)) : Type();
  if (s != Scalar::F32 && s != Scalar::F64) return Type();
  if (counts.size() == 1 && digit(0) != 0) return Type::matrix(s, digit(0), digit(0));
  if (counts.size() == 3 && counts[1] == 'x' && digit(0) != 0 && digit(2) != 0) {
    return Type::matrix(s, digit(0), digit(2));
  }
  return Type();
}

Type TypeTable::array(Type element, uint32_t count) {
  if (element.is_reference() || element.none() || size(element) == 0) {
    fail(VD_ERR_INVALID, "an array cannot hold elements of type {}.", name(element));
  }
  if (size(element) * count > kMaxSize) {
    fail(VD_ERR_INVALID, "an array of {} elements of type {} is past the limit ({} bytes).", count, name(element),
         kMaxSize);
  }
  for (size_t i = 0; i < arrays_.size(); ++i) {
    if (arrays_[i].element == element && arrays_[i].count == count) return Type::array(static_cast<uint32_t>(i));
  }
  if (arrays_.size() >= kMaxTableEntries)
    fail(VD_ERR_INVALID, "a kernel has at most {} array types.", kMaxTableEntries);
  const uint32_t nested = depth(element) + 1;
  if (nested > kMaxTypeDepth) fail(VD_ERR_INVALID, "types nest at most {} deep.", kMaxTypeDepth);
  arrays_.push_back({element, count, size(element) * count, align(element), nested});
  return Type::array(static_cast<uint32_t>(arrays_.size() - 1));
}

Type TypeTable::structure(const std::string& name, std::vector<Field> fields) {
  if (fields.empty()) fail(VD_ERR_INVALID, "struct \"{}\" has no field.", name);
  uint64_t offset = 0;
  uint32_t alignment = 1, nested = 0;
  for (Field& field : fields) {
    if (field.type.is_reference() || field.type.none() || size(field.type) == 0) {
      fail(VD_ERR_INVALID, "field \"{}\" of struct \"{}\" cannot have type {}.", field.name, name,
           this->name(field.type));
    }
    const uint32_t a = align(field.type);
    offset = (offset + a - 1) / a * a;
    field.offset = static_cast<uint32_t>(offset);
    offset += size(field.type);
    alignment = std::max(alignment, a);
    nested = std::max(nested, depth(field.type) + 1);
    if (offset > kMaxSize) fail(VD_ERR_INVALID, "struct \"{}\" is past the limit ({} bytes).", name, kMaxSize);
  }
  if (nested > kMaxTypeDepth) fail(VD_ERR_INVALID, "types nest at most {} deep.", kMaxTypeDepth);
  const auto bytes = static_cast<uint32_t>((offset + alignment - 1) / alignment * alignment);
  for (size_t i = 0; i < structs_.size(); ++i) {
    const Struct& other = structs_[i];
    if (other.name == name && std::ranges::equal(other.fields, fields, [](const Field& a, const Field& b) {
          return a.type == b.type && a.name == b.name;
        })) {
      return Type::structure(static_cast<uint32_t>(i));
    }
  }
  if (structs_.size() >= kMaxTableEntries)
    fail(VD_ERR_INVALID, "a kernel has at most {} struct types.", kMaxTableEntries);
  structs_.push_back({name, std::move(fields), bytes, alignment, nested});
  return Type::structure(static_cast<uint32_t>(structs_.size() - 1));
}

uint64_t TypeTable::size(Type type) const {
  const uint64_t scalar = scalar_size(type.scalar());
  switch (type.shape()) {
    case Shape::Scalar:
      return scalar;
    case Shape::Vector:
    case Shape::Complex:
      return scalar * type.count();
    case Shape::Matrix:
      return scalar * type.count() * type.rows();
    case Shape::Array:
      return type.index() < arrays_.size() ? arrays_[type.index()].size : 0;
    case Shape::Struct:
      return type.index() < structs_.size() ? structs_[type.index()].size : 0;
    default:
      return 0;
  }
}

uint32_t TypeTable::align(Type type) const {
  switch (type.shape()) {
    case Shape::Array:
      return type.index() < arrays_.size() ? arrays_[type.index()].align : 1;
    case Shape::Struct:
      return type.index() < structs_.size() ? structs_[type.index()].align : 1;
    default:
      return std::max(scalar_size(type.scalar()), 1u);
  }
}

namespace {

// One that is sampled has any format of its channels' kind, so its type names none.
bool is_valid_image(Type t) {
  const Type same = Type::image(t.scalar(), t.dimensions(), t.is_layered(), t.image_access(), t.format());
  if (t != same || t.dimensions() == 0 || (t.is_layered() && t.dimensions() == 3)) return false;
  if (t.is_sampled()) return t.format() == VD_FORMAT_NONE && is_channel(t.scalar());
  const TexelFormat* format = find_texel_format(t.format());
  return format != nullptr && Type(t.scalar()) == channel_type(*format);
}

}  // namespace

bool TypeTable::is_valid(Type type) const {
  if ((type.bits() >> 31) != 0 || type.space() > Space::Cluster) return false;
  const Type t = type.value();
  const Scalar s = t.scalar();
  const bool known = s > Scalar::None && s <= Scalar::F64;
  const auto size_fits = [](uint32_t n) { return n >= 2 && n <= 4; };
  switch (t.shape()) {
    case Shape::Scalar:
      return known && t == Type(s);
    case Shape::Vector:
      return known && size_fits(t.count()) && t == Type::vector(s, t.count());
    case Shape::Complex:
      return known && t.is_float() && t == Type::complex(s);
    case Shape::Matrix:
      return (s == Scalar::F32 || s == Scalar::F64) && size_fits(t.count()) && size_fits(t.rows()) &&
             t == Type::matrix(s, t.count(), t.rows());
    case Shape::Array:
      return t == Type::array(t.index()) && t.index() < arrays_.size();
    case Shape::Struct:
      return t == Type::structure(t.index()) && t.index() < structs_.size();
    case Shape::Image:
      return is_valid_image(t);
    case Shape::String:
      return t == Type::string();
    default:
      return false;
  }
}

uint32_t TypeTable::depth(Type type) const {
  if (type.is_array() && type.index() < arrays_.size()) return arrays_[type.index()].depth;
  if (type.is_struct() && type.index() < structs_.size()) return structs_[type.index()].depth;
  return 0;
}

std::string TypeTable::name(Type type) const {
  if (type.is_array() && type.index() < arrays_.size()) {
    const Array& array = arrays_[type.index()];
    const std::string text = array.count == 0 ? fmt::format("{}[]", name(array.element))
                                              : fmt::format("{}[{}]", name(array.element), array.count);
    return type.is_reference() ? fmt::format("{} {}", kSpaceNames[static_cast<uint32_t>(type.space()) % 6], text)
                               : text;
  }
  if (type.is_struct() && type.index() < structs_.size()) {
    const std::string& text = structs_[type.index()].name;
    return type.is_reference() ? fmt::format("{} {}", kSpaceNames[static_cast<uint32_t>(type.space()) % 6], text)
                               : text;
  }
  return type_name(type);
}

std::string shown_type(Type type, const TypeTable& types) {
  if (type.none()) return "0";
  return types.is_valid(type) ? types.name(type) : fmt::format("{:#x}", type.bits());
}

}  // namespace vd::ir
