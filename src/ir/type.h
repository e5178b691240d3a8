// Types of the kernel language: vd_type of the C API as a class, and the table of arrays and structs with the one
// memory layout that every backend keeps: scalar block layout (every member aligned to its scalar, 3-vectors and matrix
// columns packed, complex aligned to its scalar).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/texel.h"
#include "vkdispatch.h"

namespace vd::ir {

enum class Scalar : uint8_t { None, Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64 };
enum class Shape : uint8_t { Scalar, Vector, Complex, Matrix, Array, Struct, Image, String };
enum class Space : uint8_t { Value, Private, Shared, Storage, Uniform, Cluster };

// 32 bits, as vkdispatch.h says. A reference has the type that it refers to and a space other than Value.
class Type {
 public:
  constexpr Type() = default;
  constexpr explicit Type(uint32_t bits) : bits_(bits) {}
  constexpr explicit Type(Scalar s) : bits_(static_cast<uint32_t>(s)) {}

  static constexpr Type vector(Scalar s, uint32_t n) {
    return n == 1 ? Type(s) : Type(static_cast<uint32_t>(s) | 1u << 8 | n << 12);
  }
  static constexpr Type complex(Scalar s) { return Type(static_cast<uint32_t>(s) | 2u << 8); }
  static constexpr Type matrix(Scalar s, uint32_t columns, uint32_t rows) {
    return Type(static_cast<uint32_t>(s) | 3u << 8 | columns << 12 | rows << 16);
  }
  static constexpr Type array(uint32_t index) { return Type(4u << 8 | index << 12); }
  static constexpr Type structure(uint32_t index) { return Type(5u << 8 | index << 12); }
  // `channel` is f32, i32 or u32: what kernels see of a texel's channels. A kernel loads from and stores to an image of a
  // format (storage), as the access bits (VD_ARGUMENT_ACCESS_READ, _WRITE) say; one without them is sampled.
  static constexpr Type image(Scalar channel, uint32_t dimensions, bool layered, vd_argument_access access = 0,
                              vd_format format = VD_FORMAT_NONE) {
    return Type(static_cast<uint32_t>(channel) | 6u << 8 | dimensions << 12 | (layered ? 1u << 14 : 0) |
                (access & 3u) << 15 | static_cast<uint32_t>(format) << 17);
  }
  static constexpr Type string() { return Type(7u << 8); }

  constexpr uint32_t bits() const { return bits_; }
  constexpr Scalar scalar() const { return static_cast<Scalar>(bits_ & 0xff); }
  constexpr Shape shape() const { return static_cast<Shape>(bits_ >> 8 & 0xf); }
  constexpr Space space() const { return static_cast<Space>(bits_ >> 28 & 0x7); }
  // Components of a vector, columns of a matrix, 2 for complex, else 1.
  constexpr uint32_t count() const {
    return shape() == Shape::Complex                                ? 2
           : (shape() == Shape::Vector || shape() == Shape::Matrix) ? bits_ >> 12 & 0xf
                                                                    : 1;
  }
  constexpr uint32_t rows() const { return shape() == Shape::Matrix ? bits_ >> 16 & 0xf : 1; }
  constexpr uint32_t index() const { return bits_ >> 12 & 0xffff; }  // of an array or struct in its table

  // For images.
  constexpr uint32_t dimensions() const { return bits_ >> 12 & 3; }
  constexpr bool is_layered() const { return (bits_ >> 14 & 1) != 0; }
  constexpr vd_argument_access image_access() const { return is_image() ? bits_ >> 15 & 3 : 0; }
  constexpr bool is_sampled() const { return is_image() && image_access() == 0; }
  constexpr vd_format format() const { return static_cast<vd_format>(bits_ >> 17 & 0xff); }
  constexpr uint32_t coordinates() const { return dimensions() + (is_layered() ? 1 : 0); }
  constexpr Type texel() const { return vector(scalar(), 4); }

  constexpr bool none() const { return bits_ == 0; }
  constexpr bool is_reference() const { return space() != Space::Value; }
  constexpr Type value() const { return Type(bits_ & 0x0fffffffu); }
  constexpr Type in(Space s) const { return Type((bits_ & 0x0fffffffu) | static_cast<uint32_t>(s) << 28); }
  // The same shape with another scalar.
  constexpr Type with(Scalar s) const { return Type((bits_ & ~0xffu) | static_cast<uint32_t>(s)); }
  // The type of a vector's, complex number's or matrix's component, as indexing returns it.
  constexpr Type component() const { return shape() == Shape::Matrix ? vector(scalar(), rows()) : Type(scalar()); }

  constexpr bool is_scalar() const { return shape() == Shape::Scalar && scalar() != Scalar::None; }
  constexpr bool is_vector() const { return shape() == Shape::Vector; }
  constexpr bool is_complex() const { return shape() == Shape::Complex; }
  constexpr bool is_matrix() const { return shape() == Shape::Matrix; }
  constexpr bool is_array() const { return shape() == Shape::Array; }
  constexpr bool is_struct() const { return shape() == Shape::Struct; }
  constexpr bool is_image() const { return shape() == Shape::Image; }
  constexpr bool is_bool() const { return scalar() == Scalar::Bool; }
  constexpr bool is_signed() const { return scalar() >= Scalar::I8 && scalar() <= Scalar::I64; }
  constexpr bool is_unsigned() const { return scalar() >= Scalar::U8 && scalar() <= Scalar::U64; }
  constexpr bool is_integer() const { return is_signed() || is_unsigned(); }
  constexpr bool is_float() const { return scalar() >= Scalar::F16; }

  friend constexpr bool operator==(Type, Type) = default;

 private:
  uint32_t bits_ = 0;
};

inline constexpr Type kBool{Scalar::Bool}, kI32{Scalar::I32}, kI64{Scalar::I64}, kU32{Scalar::U32}, kU64{Scalar::U64},
    kF16{Scalar::F16}, kF32{Scalar::F32}, kF64{Scalar::F64};
inline constexpr Type kI32x4 = Type::vector(Scalar::I32, 4), kU32x4 = Type::vector(Scalar::U32, 4),
                      kF32x4 = Type::vector(Scalar::F32, 4);

// Bytes of a scalar in memory; bool is 4 (buffers never hold it, but private and shared memory may).
uint32_t scalar_size(Scalar s);
// "f32", "f32x3", "complex_f32", "f32m3", "image2d_f32", "image2d_array_f32_rw_rgba16_f32"; arrays and structs need their
// table. The text form's spelling.
std::string type_name(Type type);
// Reads type_name's spelling; none() if it is not a type.
Type parse_type(const std::string& name);

// The type of a format's channels as kernels see them: f32, i32 or u32.
Type channel_type(const TexelFormat& format);

struct Field {
  Type type;
  std::string name;
  uint32_t offset = 0;
};

// The arrays and structs of one kernel. Equal ones are interned once.
class TypeTable {
 public:
  struct Array {
    Type element;
    uint32_t count;  // 0: as long as the buffer
    uint64_t size;
    uint32_t align, depth;
  };
  struct Struct {
    std::string name;
    std::vector<Field> fields;
    uint32_t size, align, depth;
  };

  Type array(Type element, uint32_t count);
  Type structure(const std::string& name, std::vector<Field> fields);  // offsets are filled in
  const Array& get_array(Type type) const { return arrays_.at(type.index()); }
  const Struct& get_struct(Type type) const { return structs_.at(type.index()); }
  uint32_t array_count() const { return static_cast<uint32_t>(arrays_.size()); }
  uint32_t struct_count() const { return static_cast<uint32_t>(structs_.size()); }

  uint64_t size(Type type) const;   // bytes in memory, of the value; a runtime array has 0
  uint32_t align(Type type) const;  // bytes
  bool is_valid(Type type) const;   // a type or reference of this table
  uint32_t depth(Type type) const;  // of nesting; 0 unless an array or struct
  std::string name(Type type) const;

 private:
  std::vector<Array> arrays_;
  std::vector<Struct> structs_;
};

// A type in a message: its name, "0" for none, and the number of one that does not exist.
std::string shown_type(Type type, const TypeTable& types = {});

}  // namespace vd::ir
