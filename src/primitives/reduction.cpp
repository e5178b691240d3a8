#include "primitives/reduction.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "core/array_desc.h"
#include "core/error.h"
#include "core/name.h"
#include "core/overlap.h"
#include "ir/emitter.h"

namespace vd::primitives {
namespace {

using ir::Scalar;
using ir::Type;

struct OpRow {
  const char* name;
  vd_op combine, subgroup;
};
constexpr std::array<OpRow, 8> kOps{{{"sum", VD_OP_ADD, VD_OP_SUBGROUP_ADD},
                                     {"product", VD_OP_MUL, VD_OP_SUBGROUP_MUL},
                                     {"min", VD_OP_MIN, VD_OP_SUBGROUP_MIN},
                                     {"max", VD_OP_MAX, VD_OP_SUBGROUP_MAX},
                                     {"and", VD_OP_AND, VD_OP_SUBGROUP_AND},
                                     {"or", VD_OP_OR, VD_OP_SUBGROUP_OR},
                                     {"xor", VD_OP_XOR, VD_OP_SUBGROUP_XOR},
                                     {"reduce", VD_OP_NONE, VD_OP_NONE}}};

bool is_bitwise(vd_reduce_op op) { return op >= VD_REDUCE_OP_AND && op <= VD_REDUCE_OP_XOR; }

// The bits of the least or the greatest value; for floats a NaN, which is ignored beside any number, so that only NaNs
// give it.
uint64_t extreme(Scalar scalar, bool least) {
  const Type type(scalar);
  if (type.is_float()) return ir::scalar_bits_of(scalar, std::numeric_limits<double>::quiet_NaN());
  const uint32_t bits = 8 * ir::scalar_size(scalar);
  const uint64_t all = ~uint64_t{0} >> (64 - bits), top = uint64_t{1} << (bits - 1);
  if (type.is_signed()) return least ? top : top - 1;
  return least ? 0 : all;
}

std::vector<std::byte> identity_of(vd_reduce_op op, Type type) {
  const Scalar scalar = type.scalar();
  const uint32_t size = ir::scalar_size(scalar);
  uint64_t bits = 0;
  switch (op) {
    case VD_REDUCE_OP_MUL:
      bits = type.is_float() ? ir::scalar_bits_of(scalar, 1) : 1;
      break;
    case VD_REDUCE_OP_MIN:
    case VD_REDUCE_OP_MAX:
      bits = extreme(scalar, op == VD_REDUCE_OP_MAX);
      break;
    case VD_REDUCE_OP_AND:
      bits = ~uint64_t{0};
      break;
    default:
      break;
  }
  const uint32_t count = type.count() * type.rows();
  std::vector<std::byte> bytes(size_t{size} * count);
  // The identity of a complex product has an imaginary part of zero.
  const uint32_t filled = type.is_complex() && op == VD_REDUCE_OP_MUL ? 1 : count;
  for (uint32_t i = 0; i < filled; ++i) std::memcpy(bytes.data() + size_t{i} * size, &bits, size);
  return bytes;
}

Type value_type(vd_type given, Type otherwise, const char* name) {
  if (given == 0) return otherwise;
  const Type type(given);
  const bool number = type.is_scalar() || type.is_vector() || type.is_complex() || type.is_matrix();
  if (!number || type.is_bool() || type.is_reference() || !ir::TypeTable().is_valid(type))
    fail(VD_ERR_INVALID, "desc->{} ({}) is not a type of numbers", name, ir::shown_type(type));
  return type;
}

// A value of `from` becomes one of `to` by conversion, which keeps the shape.
void check_conversion(Type from, Type to, const char* a, const char* b) {
  if (from == to || (from.with(Scalar::F32) == to.with(Scalar::F32) && !from.is_matrix())) return;
  fail(VD_ERR_INVALID, "desc->{} ({}) does not convert to desc->{} ({})", a, ir::type_name(from), b, ir::type_name(to));
}

void check_op(vd_reduce_op op, Type type) {
  const bool ordered = op == VD_REDUCE_OP_MIN || op == VD_REDUCE_OP_MAX;
  if (ordered && (type.is_complex() || type.is_matrix()))
    fail(VD_ERR_INVALID, "desc->op: {} has no order, which a minimum or maximum needs", ir::type_name(type));
  if (is_bitwise(op) && !type.is_integer())
    fail(VD_ERR_INVALID, "desc->op: bitwise operations take integers, not {}", ir::type_name(type));
  if (op == VD_REDUCE_OP_MUL && type.is_matrix())
    fail(VD_ERR_INVALID,
         "desc->op: a product of matrices depends on their order, and a reduction combines values in any order");
}

}  // namespace

namespace {

uint64_t plus_steps(uint64_t address, uint64_t steps, uint64_t stride) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  if (steps != 0 && stride > (kMost - address) / steps) return kMost;
  return address + steps * stride;
}

// Bit i: dimension i is reduced.
uint32_t reduced_dims(const vd_reduce_desc& d) {
  if (d.axis_count == 0) return (1u << d.rank) - 1;
  uint32_t mask = 0;
  for (const uint32_t axis : read_axes(d.axes, d.axis_count, d.rank)) mask |= 1u << axis;
  return mask;
}

// The dimensions, nearest first, neighbours joined.
void read_dims(const vd_reduce_desc& d, Reduction& r) {
  const uint32_t axes = reduced_dims(d);
  std::array<uint64_t, VD_MAX_DIMS> in_strides, out_strides;
  const bool in_packed = !read_strides(d.in_strides, d.rank, "in", in_strides);
  int64_t kept_strides[VD_MAX_DIMS];  // strides of the axes are ignored
  for (uint32_t i = 0; i < VD_MAX_DIMS; ++i) kept_strides[i] = (axes >> i & 1) != 0 ? 0 : d.out_strides[i];
  const bool out_packed = !read_strides(kept_strides, d.rank, "out", out_strides);
  uint64_t in_step = 1, out_step = 1;
  Overlaps overlaps;
  std::vector<Dim>* before = nullptr;
  for (uint32_t i = d.rank; i-- > 0;) {
    const bool stays = (axes >> i & 1) == 0;
    const Dim dim{d.shape[i], in_packed ? in_step : in_strides[i], !stays ? 0 : out_packed ? out_step : out_strides[i]};
    in_step *= d.shape[i];
    if (stays) out_step *= d.shape[i];
    if (dim.count == 1) continue;
    if (stays && dim.out_stride == 0)
      fail(VD_ERR_INVALID, "desc->out_strides[{}] (0) puts {} results at one address", i, dim.count);
    if (stays) overlaps.add({i, dim.count, dim.out_stride});
    std::vector<Dim>& to = stays ? r.kept : r.reduced;
    Dim* back = &to == before ? &to.back() : nullptr;
    if (back != nullptr && back->count * back->stride == dim.stride &&
        back->count * back->out_stride == dim.out_stride) {
      back->count *= dim.count;
    } else {
      to.push_back(dim);
    }
    before = &to;
  }
  if (const auto overlap = overlaps.find())
    fail(VD_ERR_INVALID, "desc->out_strides[{}] ({}) puts results at addresses of dimension {} ({} of stride {})",
         overlap->dim.index, overlap->dim.stride, overlap->over.index, overlap->over.count, overlap->over.stride);
  if (r.reduced.empty()) r.reduced.push_back({1, 1, 0});
}

}  // namespace

uint64_t Reduction::product(const std::vector<Dim>& dims) {
  uint64_t n = 1;
  for (const Dim& dim : dims) n *= dim.count;
  return n;
}

uint64_t Reduction::reach() const {
  uint64_t last = offset;
  for (const auto* dims : {&kept, &reduced}) {
    for (const Dim& dim : *dims) last = plus_steps(last, dim.count - 1, dim.stride);
  }
  return plus_steps(last, 1, 1);
}

uint64_t Reduction::out_reach() const {
  uint64_t last = out_offset;
  for (const Dim& dim : kept) last = plus_steps(last, dim.count - 1, dim.out_stride);
  return plus_steps(last, 1, 1);
}

bool Reduction::packed_out() const {
  uint64_t step = 1;
  for (const Dim& dim : kept) {
    if (dim.out_stride != step) return false;
    step *= dim.count;
  }
  return out_offset == 0;
}

Reduction read_reduction(const vd_reduce_desc& d) {
  constexpr vd_reduce_flags kKnownFlags = VD_REDUCE_MAP_INPUT | VD_REDUCE_TWO_PASSES;
  if ((d.flags & ~kKnownFlags) != 0) fail(VD_ERR_INVALID, "desc->flags ({:#x}) have unknown bits", d.flags);
  constexpr vd_builder_flags kBuilderFlags =
      VD_BUILDER_BY_VALUE | VD_BUILDER_NO_SUBGROUP | VD_BUILDER_NO_PRINTF | VD_BUILDER_PRECISE | VD_BUILDER_NATIVE;
  if ((d.builder_flags & ~kBuilderFlags) != 0)
    fail(VD_ERR_INVALID, "desc->builder_flags ({:#x}) have unknown bits or bits that a reduction does not take",
         d.builder_flags);
  if (d.op < VD_REDUCE_OP_ADD || d.op > VD_REDUCE_OP_CUSTOM)
    fail(VD_ERR_INVALID, "desc->op ({}) is unknown", static_cast<int>(d.op));
  check_shape(d.rank, d.shape);

  const OpRow& row = kOps[static_cast<size_t>(d.op)];
  Reduction r;
  r.mapped = (d.flags & VD_REDUCE_MAP_INPUT) != 0;
  r.type = value_type(d.compute_type, d.in_type != 0 ? Type(d.in_type) : ir::kF32, "compute_type");
  r.type = value_type(r.type.bits(), r.type, "in_type");
  r.in = value_type(d.in_type, r.type, "in_type");
  r.out = value_type(d.out_type, r.type, "out_type");
  if (!r.mapped) check_conversion(r.in, r.type, "in_type", "compute_type");
  check_conversion(r.type, r.out, "compute_type", "out_type");
  check_op(d.op, r.type);
  r.name = d.label != nullptr && d.label[0] != '\0' ? shown_name(d.label) : row.name;
  r.combine = row.combine;
  // A complex product is not one of components; narrow and 64-bit types use shuffles, which every device has. A
  // device's own minimum or maximum of NaNs alone may be anything.
  const bool number = !r.type.is_float() || (d.op != VD_REDUCE_OP_MIN && d.op != VD_REDUCE_OP_MAX);
  const bool native = r.type.is_scalar() && ir::scalar_size(r.type.scalar()) == 4 && number;
  r.subgroup = native ? row.subgroup : VD_OP_NONE;
  r.identity = identity_of(d.op, r.type);
  if (d.op == VD_REDUCE_OP_CUSTOM) {
    if (d.identity == nullptr) fail(VD_ERR_INVALID, "desc->identity is NULL, and a custom operation needs one");
    const auto* bytes = static_cast<const std::byte*>(d.identity);
    r.identity.assign(bytes, bytes + std::min<size_t>(d.identity_size, r.identity.size()));
  } else if (d.identity != nullptr) {
    fail(VD_ERR_INVALID, "desc->identity is given, and \"{}\" has its own", row.name);
  }
  const uint64_t bytes = ir::TypeTable().size(r.type);
  if (d.op == VD_REDUCE_OP_CUSTOM && d.identity_size != bytes)
    fail(VD_ERR_INVALID, "desc->identity_size ({}) is not the size of {} ({})", d.identity_size, ir::type_name(r.type),
         bytes);

  read_dims(d, r);
  r.offset = d.in_offset;
  r.out_offset = d.out_offset;
  if (const uint64_t reach = r.reach(); reach > kMostElements)
    fail(VD_ERR_INVALID, "desc->in_strides and desc->in_offset ({}) span {} elements, more than the limit ({})",
         d.in_offset, reach, kMostElements);
  if (const uint64_t reach = r.out_reach(); reach > kMostElements)
    fail(VD_ERR_INVALID, "desc->out_strides and desc->out_offset ({}) span {} elements, more than the limit ({})",
         d.out_offset, reach, kMostElements);
  return r;
}

}  // namespace vd::primitives
