// Values of a kernel as C++ operands, so that a formula is written once and means both IR and, in its tests, plain
// floats: F is an f32, U a u32, B a bool. All float ops are precise (never contracted); only `divide` and `root` are
// the driver's own, whose error the formulas make good.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include "ir/emitter.h"

namespace vd::codegen {

// The formulas' view of the emitter.
class KernelMath {
 public:
  struct B {
    ir::Emitter* e;
    ir::ValueId id;
    friend B operator&&(B a, B b) { return {a.e, a.e->emit(VD_OP_LAND, a.id, b.id)}; }
    friend B operator||(B a, B b) { return {a.e, a.e->emit(VD_OP_LOR, a.id, b.id)}; }
    friend B operator!(B a) { return {a.e, a.e->emit(VD_OP_LNOT, a.id)}; }
  };
  struct F {
    ir::Emitter* e;
    ir::ValueId id;
    F constant(float v) const { return {e, e->bits(ir::kF32, std::bit_cast<uint32_t>(v))}; }
    F op(ir::Op o, F b) const { return {e, e->emit(o, ir::Type(), {id, b.id}, VD_MATH_PRECISE)}; }
    B test(ir::Op o, F b) const { return {e, e->emit(o, id, b.id)}; }
    friend F operator+(F a, F b) { return a.op(VD_OP_ADD, b); }
    friend F operator-(F a, F b) { return a.op(VD_OP_SUB, b); }
    friend F operator*(F a, F b) { return a.op(VD_OP_MUL, b); }
    friend F operator+(F a, float b) { return a + a.constant(b); }
    friend F operator-(F a, float b) { return a - a.constant(b); }
    friend F operator*(F a, float b) { return a * a.constant(b); }
    friend F operator+(float a, F b) { return b.constant(a) + b; }
    friend F operator-(float a, F b) { return b.constant(a) - b; }
    friend F operator*(float a, F b) { return b.constant(a) * b; }
    friend F operator-(F a) { return {a.e, a.e->emit(VD_OP_NEG, a.id)}; }
    friend B operator<(F a, F b) { return a.test(VD_OP_LT, b); }
    friend B operator<(F a, float b) { return a < a.constant(b); }
    friend B operator>(F a, F b) { return a.test(VD_OP_GT, b); }
    friend B operator>(F a, float b) { return a > a.constant(b); }
    friend B operator<=(F a, float b) { return a.test(VD_OP_LE, a.constant(b)); }
    friend B operator>=(F a, float b) { return a.test(VD_OP_GE, a.constant(b)); }
    friend B operator==(F a, F b) { return a.test(VD_OP_EQ, b); }
    friend B operator==(F a, float b) { return a == a.constant(b); }
  };
  struct U {
    ir::Emitter* e;
    ir::ValueId id;
    U constant(uint32_t v) const { return {e, e->bits(ir::kU32, v)}; }
    U op(ir::Op o, U b) const { return {e, e->emit(o, id, b.id)}; }
    B test(ir::Op o, U b) const { return {e, e->emit(o, id, b.id)}; }
    friend U operator+(U a, U b) { return a.op(VD_OP_ADD, b); }
    friend U operator+(U a, uint32_t b) { return a + a.constant(b); }
    friend U operator-(U a, U b) { return a.op(VD_OP_SUB, b); }
    friend U operator-(U a, uint32_t b) { return a - a.constant(b); }
    friend U operator-(uint32_t a, U b) { return b.constant(a) - b; }
    friend U operator*(U a, U b) { return a.op(VD_OP_MUL, b); }
    friend U operator&(U a, U b) { return a.op(VD_OP_AND, b); }
    friend U operator&(U a, uint32_t b) { return a & a.constant(b); }
    friend U operator|(U a, U b) { return a.op(VD_OP_OR, b); }
    friend U operator|(U a, uint32_t b) { return a | a.constant(b); }
    friend U operator^(U a, U b) { return a.op(VD_OP_XOR, b); }
    friend U operator~(U a) { return {a.e, a.e->emit(VD_OP_NOT, a.id)}; }
    friend U operator<<(U a, U b) { return a.op(VD_OP_SHL, b); }
    friend U operator<<(U a, uint32_t b) { return a << a.constant(b); }
    friend U operator>>(U a, U b) { return a.op(VD_OP_SHR, b); }
    friend U operator>>(U a, uint32_t b) { return a >> a.constant(b); }
    friend B operator<(U a, U b) { return a.test(VD_OP_LT, b); }
    friend B operator<(U a, uint32_t b) { return a < a.constant(b); }
    friend B operator>(U a, U b) { return a.test(VD_OP_GT, b); }
    friend B operator>(U a, uint32_t b) { return a > a.constant(b); }
    friend B operator>=(U a, uint32_t b) { return a.test(VD_OP_GE, a.constant(b)); }
    friend B operator==(U a, U b) { return a.test(VD_OP_EQ, b); }
    friend B operator==(U a, uint32_t b) { return a == a.constant(b); }
    friend B operator!=(U a, uint32_t b) { return a.test(VD_OP_NE, a.constant(b)); }
  };
  // A variable of either kind.
  template <class T>
  struct Variable {
    ir::Emitter* e;
    ir::ValueId reference;
    T get() const { return {e, e->load(reference)}; }
    void set(T value) { e->store(reference, value.id); }
  };

  explicit KernelMath(ir::Emitter& e) : e_(&e) {}

  F f(float v) { return {e_, e_->bits(ir::kF32, std::bit_cast<uint32_t>(v))}; }
  U u(uint32_t v) { return {e_, e_->bits(ir::kU32, v)}; }
  U bits(F x) { return {e_, e_->bitcast(ir::kU32, x.id)}; }
  F value(U x) { return {e_, e_->bitcast(ir::kF32, x.id)}; }
  F absolute(F x) { return {e_, e_->emit(VD_OP_ABS, x.id)}; }
  F nearest(F x) { return {e_, e_->emit(VD_OP_ROUND_EVEN, x.id)}; }
  F minimum(F a, float b) { return {e_, e_->emit(VD_OP_MIN, a.id, f(b).id)}; }
  F maximum(F a, float b) { return {e_, e_->emit(VD_OP_MAX, a.id, f(b).id)}; }
  F divide(F a, F b) { return {e_, e_->emit(VD_OP_DIV, ir::Type(), {a.id, b.id}, VD_MATH_NATIVE)}; }
  F root(F x) { return {e_, e_->emit(VD_OP_SQRT, ir::Type(), {x.id}, VD_MATH_NATIVE)}; }
  // Converts a whole number in the range of i32 to two's complement, and back.
  U whole(F x) { return {e_, e_->bitcast(ir::kU32, e_->convert(ir::kI32, x.id))}; }
  F to_float(U x) { return {e_, e_->convert(ir::kF32, e_->bitcast(ir::kI32, x.id))}; }
  U leading_zeros(U x) { return {e_, e_->emit(VD_OP_CLZ, x.id)}; }
  U quotient(U a, U b) { return {e_, e_->div(a.id, b.id)}; }
  U shift_right_signed(U x, uint32_t n) {
    const ir::ValueId shifted = e_->emit(VD_OP_SHR, e_->bitcast(ir::kI32, x.id), e_->bits(ir::kU32, n));
    return {e_, e_->bitcast(ir::kU32, shifted)};
  }
  B is_negative(U x) { return x >= 0x80000000u; }
  template <class T>
  T select(B condition, T a, T b) {
    return {e_, e_->select(condition.id, a.id, b.id)};
  }
  F select(B condition, F a, float b) { return select(condition, a, f(b)); }
  F select(B condition, float a, F b) { return select(condition, f(a), b); }
  template <class T>
  Variable<T> variable(T first) {
    return {e_, e_->var(first.id)};
  }
  template <class Body>
  void repeat(uint32_t times, Body&& body) {
    e_->begin_for(u(0).id, u(times).id, u(1).id);
    body();
    e_->end();
  }
  template <class Then>
  void when(B condition, Then&& then) {
    e_->begin_if(condition.id);
    then();
    e_->end();
  }
  template <class Then, class Else>
  void when(B condition, Then&& then, Else&& otherwise) {
    e_->begin_if(condition.id);
    then();
    e_->begin_else();
    otherwise();
    e_->end();
  }

 private:
  ir::Emitter* e_;
};

}  // namespace vd::codegen
