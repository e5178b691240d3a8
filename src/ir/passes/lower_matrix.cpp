// Matrices as their columns. Determinant and inverse by cofactors of the components.
#include "ir/passes/lower_ops.h"

namespace vd::ir {
namespace {

// The components of a square matrix, by column and row.
struct Grid {
  uint32_t n = 0;
  ValueId cell[4][4];
};

Grid take(Emitter& e, ValueId m) {
  Grid grid;
  grid.n = e.type(m).count();
  for (uint32_t c = 0; c < grid.n; ++c) {
    const ValueId column = e.at(m, c);
    for (uint32_t r = 0; r < grid.n; ++r) grid.cell[c][r] = e.at(column, r);
  }
  return grid;
}

Grid without(const Grid& from, uint32_t column, uint32_t row) {
  Grid minor;
  minor.n = from.n - 1;
  for (uint32_t c = 0, i = 0; c < from.n; ++c) {
    if (c == column) continue;
    for (uint32_t r = 0, j = 0; r < from.n; ++r) {
      if (r != row) minor.cell[i][j++] = from.cell[c][r];
    }
    ++i;
  }
  return minor;
}

ValueId determinant(Emitter& e, const Grid& m) {
  if (m.n == 1) return m.cell[0][0];
  ValueId sum = kNoValue;
  for (uint32_t r = 0; r < m.n; ++r) {
    const ValueId term = e.mul(m.cell[0][r], determinant(e, without(m, 0, r)));
    sum = sum == kNoValue ? term : r % 2 == 0 ? e.add(sum, term) : e.sub(sum, term);
  }
  return sum;
}

ValueId inverse(Emitter& e, const LoweredOp& op) {
  const Grid m = take(e, op.operands[0]);
  ValueId cofactors[4][4] = {};  // by column and row of m
  for (uint32_t c = 0; c < m.n; ++c) {
    for (uint32_t r = 0; r < m.n; ++r) {
      const ValueId minor = determinant(e, without(m, c, r));
      cofactors[c][r] = (c + r) % 2 == 0 ? minor : e.neg(minor);
    }
  }
  ValueId scale = e.mul(m.cell[0][0], cofactors[0][0]);
  for (uint32_t r = 1; r < m.n; ++r) scale = e.add(scale, e.mul(m.cell[0][r], cofactors[0][r]));
  ValueId columns[4];
  for (uint32_t c = 0; c < m.n; ++c) {
    ValueId cells[4];
    for (uint32_t r = 0; r < m.n; ++r) cells[r] = e.div(cofactors[r][c], scale);
    columns[c] = e.construct(op.type.component(), {cells, m.n});
  }
  return e.construct(op.type, {columns, m.n});
}

ValueId transpose(Emitter& e, const LoweredOp& op) {
  ValueId columns[4];
  for (uint32_t c = 0; c < op.type.count(); ++c) {
    ValueId cells[4];
    for (uint32_t r = 0; r < op.type.rows(); ++r) cells[r] = e.at(e.at(op.operands[0], r), c);
    columns[c] = e.construct(op.type.component(), {cells, op.type.rows()});
  }
  return e.construct(op.type, {columns, op.type.count()});
}

// Sum of the matrix' columns, each times a component of the vector.
ValueId matrix_vector(Emitter& e, ValueId m, ValueId v) {
  const Type column = e.type(m).component();
  ValueId sum = e.mul(e.at(m, 0), e.splat(column, e.at(v, 0)));
  for (uint32_t c = 1; c < e.type(m).count(); ++c) sum = e.add(sum, e.mul(e.at(m, c), e.splat(column, e.at(v, c))));
  return sum;
}

ValueId matmul(Emitter& e, const LoweredOp& op) {
  const ValueId a = op.operands[0], b = op.operands[1];
  if (!e.type(a).is_matrix()) {
    ValueId cells[4];
    for (uint32_t c = 0; c < op.type.count(); ++c) cells[c] = dot_of(e, a, e.at(b, c));
    return e.construct(op.type, {cells, op.type.count()});
  }
  if (!e.type(b).is_matrix()) return matrix_vector(e, a, b);
  ValueId columns[4];
  for (uint32_t c = 0; c < op.type.count(); ++c) columns[c] = matrix_vector(e, a, e.at(b, c));
  return e.construct(op.type, {columns, op.type.count()});
}

}  // namespace

ValueId lower_matrix(Emitter& e, const LoweredOp& op) {
  const auto columns = [&](auto&& f) {
    ValueId list[4];
    for (uint32_t c = 0; c < op.type.count(); ++c) list[c] = f(c);
    return e.construct(op.type, {list, op.type.count()});
  };
  const auto column = [&](size_t i, uint32_t c) { return e.at(op.operands[i], c); };
  switch (op.op) {
    case VD_OP_ADD:
    case VD_OP_SUB:
      return columns([&](uint32_t c) { return e.emit(op.op, column(0, c), column(1, c)); });
    case VD_OP_NEG:
      return columns([&](uint32_t c) { return e.neg(column(0, c)); });
    case VD_OP_MUL:
    case VD_OP_DIV: {
      const ValueId scale = e.splat(op.type.component(), op.operands[1]);
      return columns([&](uint32_t c) { return e.emit(op.op, column(0, c), scale); });
    }
    case VD_OP_SELECT:
      return columns([&](uint32_t c) { return e.select(op.operands[0], column(1, c), column(2, c)); });
    case VD_OP_CONVERT:
      return columns([&](uint32_t c) { return e.convert(op.type.component(), column(0, c)); });
    case VD_OP_EQ:
    case VD_OP_NE: {
      const Type t = e.type(op.operands[0]);
      ValueId result = kNoValue;
      for (uint32_t c = 0; c < t.count(); ++c) {
        for (uint32_t r = 0; r < t.rows(); ++r) {
          const ValueId one = e.emit(op.op, e.at(column(0, c), r), e.at(column(1, c), r));
          result = result == kNoValue ? one : e.emit(op.op == VD_OP_EQ ? VD_OP_LAND : VD_OP_LOR, result, one);
        }
      }
      return result;
    }
    case VD_OP_TRANSPOSE:
      return transpose(e, op);
    case VD_OP_DETERMINANT:
      return determinant(e, take(e, op.operands[0]));
    case VD_OP_INVERSE:
      return inverse(e, op);
    case VD_OP_OUTER:
      return columns(
          [&](uint32_t c) { return e.mul(op.operands[0], e.splat(op.type.component(), e.at(op.operands[1], c))); });
    case VD_OP_MATMUL:
      return matmul(e, op);
    default:
      return kNoValue;
  }
}

}  // namespace vd::ir
