#include "fft/block.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/log.h"

using namespace vd;
using fft::Complex;
using fft::kReach32;
using fft::OrderWatch;

namespace {

ir::Builder& writable(ir::Builder& builder) {
  builder.check_open();
  if (builder.is_function())
    fail(VD_ERR_INVALID, "builder writes a function, and only a kernel may contain transforms");
  return builder;
}

}  // namespace

vd_fft_block::vd_fft_block(ir::Builder& builder, const vd_fft_block_desc& desc)
    : builder_(Ref<ir::Builder>::retain(&writable(builder))),
      plan_(fft::plan_block(desc)),
      backward_(radices().reversed()),
      c_(builder, plan_.compute, plan_.layout.wide),
      assignment_((builder.fix_workgroup_size({plan_.layout.workgroup_size(), 1, 1}),
                   fft::find_assignment(c_, plan_.layout, plan_.layout.orders.front(), plan_.batches))),
      engine_(c_, {assignment_.lane}, plan_.layout.exchange, 0, roots_),
      watch_(builder, plan_.layout.radices) {
  const OrderWatch::Pause pause(watch_);
  const uint64_t outer_stride = plan_.batches[1].in_stride;
  // With Traits::wide_addresses the known part of an address is in the instruction. Otherwise each address takes a
  // register from the loads to the stores, which is too many for a workgroup of 1,024 invocations.
  const bool wide = plan_.layout.wide || outer_stride * plan_.batches[1].count > kReach32;
  first_ = c_.index(0, wide ? ir::kU64 : ir::kU32);
  for (size_t i = 0; i < assignment_.coordinates.size(); ++i) {
    first_ = c_.add(first_, c_.mul(c_.widen(assignment_.coordinates[i], fft::ComplexWriter::type(first_)),
                                   plan_.batches[i].in_stride));
  }
  if (radices().invocations > 1) declare_shared();
  const vd_value zero = c_.emit(VD_OP_ZERO, {}, c_.complex());
  for (uint32_t i = 0; i < radices().registers; ++i) {
    registers_.push_back(c_.emit(VD_OP_VAR, {zero}, c_.complex()));
    builder.name(registers_.back(), fmt::format("register_{}", i));
  }
  watch_.add(registers_);
}

vd_fft_block::~vd_fft_block() {
  // A caller that asks for remarks gets them; otherwise they go to the log.
  while (const std::optional<fft::OrderRemark> remark = watch_.take()) {
    const char* what = remark->kind == VD_FFT_BLOCK_REMARK_CALL       ? "a call takes registers"
                       : remark->kind == VD_FFT_BLOCK_REMARK_ELEMENTS ? "elements are visited by their position"
                                                                      : "registers are combined with others";
    log_warning("{}", builder_->at_place(fmt::format("vd_fft_block: {} in order {}, and these are in order {}", what,
                                                     remark->wanted, remark->found),
                                         remark->location));
  }
}

void vd_fft_block::take_remark(vd_fft_block_remark& out) {
  const std::optional<fft::OrderRemark> remark = watch_.take();
  if (!remark) return;
  out.kind = remark->kind;
  out.found = remark->found;
  out.wanted = remark->wanted;
  out.location = remark->location;
}

void vd_fft_block::get_place(vd_fft_block_assignment& out) const {
  out.invocation = assignment_.lane.lane;
  out.line = assignment_.lane.line;
  out.inner = assignment_.coordinates[0];
  out.outer = assignment_.coordinates[1];
  out.first = first_;
  out.exists = assignment_.exists;
}

void vd_fft_block::check_idle() const {
  builder_->check_open();
  if (walking_) {
    fail(VD_ERR_STATE, "element {} of {} is being written: go on to the last, or call vd_fft_block_end()", at_ - 1,
         slots_.size());
  }
}

// ---- Registers and their order

void vd_fft_block::set_registers(std::vector<vd_value> registers) {
  check_idle();
  if (registers.size() != registers_.size()) {
    fail(VD_ERR_INVALID, "register_count ({}) is not the block's ({})", registers.size(), registers_.size());
  }
  for (size_t i = 0; i < registers.size(); ++i) {
    const ir::Type type = ir::Builder::type_of(registers[i]);
    builder_->check_value(registers[i], "registers[]");
    if (type != c_.complex().in(ir::Space::Private)) {
      fail(VD_ERR_INVALID, "registers[{}] ({}) is not a variable of {}", i, builder_->types().name(type),
           builder_->types().name(c_.complex()));
    }
    for (size_t k = 0; k < i; ++k) {
      if (registers[k] == registers[i])
        fail(VD_ERR_INVALID, "registers[{}] and registers[{}] are the same variable", i, k);
    }
  }
  registers_ = std::move(registers);
  watch_.add(registers_);
}

vd_fft_block::RegisterOrder vd_fft_block::order_of(int32_t number) const {
  const auto count = static_cast<int32_t>(2 * radices().stages.size());
  if (number < -count || number >= count) {
    fail(VD_ERR_INVALID, "order ({}) is not between {} and {}", number, -count, count - 1);
  }
  const auto place = static_cast<uint32_t>(number < 0 ? number + count : number);
  return {place / 2, place % 2 == 1};
}

void vd_fft_block::set_order(int32_t order) {
  check_idle();
  order_ = order_of(order);
}

std::vector<Complex> vd_fft_block::load() {
  std::vector<Complex> values;
  for (uint32_t i = 0; i < fft::Engine::slot_count(radices().stages[order_.stage]); ++i) {
    values.push_back(c_.split(c_.emit(VD_OP_LOAD, {registers_[i]})));
  }
  return values;
}

void vd_fft_block::store(const std::vector<Complex>& values) {
  for (size_t i = 0; i < values.size(); ++i) c_.store(registers_[i], c_.join(values[i]));
}

void vd_fft_block::reorder(int32_t order) {
  check_idle();
  const RegisterOrder to = order_of(order);
  watch_.expect(registers_, number_of(order_));
  watch_.became(registers_, number_of(to));
  if (to.stage == order_.stage && to.outputs == order_.outputs) return;
  const OrderWatch::Pause pause(watch_);
  std::vector<Complex> values = load();
  engine_.move(radices(), order_, to, values);
  order_ = to;
  store(values);
}

// ---- Arithmetic

void vd_fft_block::execute(bool inverse) {
  check_idle();
  const bool at_inputs = is_input(order_);
  if (!at_inputs && !is_output(order_)) {
    fail(VD_ERR_STATE, "the registers are in order {}: a transform begins in the first or the last one",
         2 * order_.stage + (order_.outputs ? 1 : 0));
  }
  watch_.expect(registers_, number_of(order_));
  const OrderWatch::Pause pause(watch_);
  std::vector<Complex> values = load();
  engine_.run(at_inputs ? radices() : backward_, inverse ? 1 : -1, values);
  order_ = order_of(at_inputs ? VD_FFT_ORDER_OUTPUT : VD_FFT_ORDER_INPUT);
  store(values);
  watch_.became(registers_, number_of(order_));
}

void vd_fft_block::normalize() {
  check_idle();
  const OrderWatch::Pause pause(watch_);
  std::vector<Complex> values = load();
  for (Complex& value : values) value = c_.scale(value, 1.0 / plan_.n);
  store(values);
}

// ---- Elements

void vd_fft_block::close_element() {
  if (builder_->depth() != depth_) {
    fail(VD_ERR_STATE, "{} blocks of code are open, not {} as when element {} began", builder_->depth(), depth_,
         at_ - 1);
  }
  c_.end_if(condition_);
  condition_ = 0;
}

void vd_fft_block::next(vd_fft_access access, vd_fft_block_element& out) {
  builder_->check_open();
  if (walking_ && access != access_) check_idle();
  const OrderWatch::Pause pause(watch_);
  if (walking_) {
    close_element();
  } else {
    slots_ = engine_.slots(radices(), order_);
    watch_.begin(number_of(order_));
    walking_ = true;
    access_ = access;
    at_ = 0;
  }
  out.element_count = static_cast<uint32_t>(slots_.size());
  if (at_ == slots_.size()) {
    walking_ = false;
    watch_.end();
    return;
  }
  const fft::RegisterSlot& slot = slots_[at_];
  // With no barrier between, an invocation may not read where another one writes its result.
  if (access != VD_FFT_ACCESS_READ || radices().invocations == 1) {
    condition_ = access == VD_FFT_ACCESS_WRITE_SHARED ? 0 : assignment_.exists;
    if (access != VD_FFT_ACCESS_READ) condition_ = c_.both(condition_, slot.owned);
  }
  c_.begin_if(condition_);
  depth_ = builder_->depth();
  out.element_id = static_cast<uint32_t>(at_);
  out.butterfly = out.element_id / radices().stages[order_.stage].radix;
  out.position = slot.position;
  out.index = c_.add(first_, c_.mul(c_.widen(slot.position, fft::ComplexWriter::type(first_)), plan_.inner));
  out.value = registers_[at_];
  watch_.element(static_cast<int>(at_), slot.position);
  ++at_;
}

void vd_fft_block::end() {
  builder_->check_open();
  if (!walking_) return;
  const OrderWatch::Pause pause(watch_);
  watch_.leave();
  close_element();
  walking_ = false;
}

// ---- Shared memory

void vd_fft_block::declare_shared() {
  engine_.set_shared(builder_->shared(c_.complex(), plan_.layout.exchange.elements, VD_SHARED_OFFSET_AUTO, "lines"));
  has_shared_ = true;
}

void vd_fft_block::need_shared() {
  if (has_shared_) return;
  if (!plan_.fits_shared) {
    fail(VD_ERR_UNSUPPORTED, "{} lines of {} do not fit shared memory: ask for fewer with desc->max_lines",
         plan_.layout.lines, plan_.n);
  }
  declare_shared();
}

void vd_fft_block::to_shared() {
  check_idle();
  need_shared();
  watch_.expect(registers_, number_of(order_));
  const OrderWatch::Pause pause(watch_);
  engine_.put(radices(), order_, load());
}

void vd_fft_block::from_shared(int32_t order) {
  check_idle();
  const RegisterOrder to = order_of(order);
  need_shared();
  const OrderWatch::Pause pause(watch_);
  order_ = to;
  store(engine_.take(radices(), to));
  watch_.became(registers_, number_of(to));
}

vd_value vd_fft_block::shared(vd_value position) {
  builder_->check_open();
  builder_->check_value(position, "position");
  const ir::Type type = ir::Builder::type_of(position).value();
  if (!type.is_scalar() || !type.is_integer()) {
    fail(VD_ERR_INVALID, "position ({}) is not an integer", builder_->types().name(type));
  }
  need_shared();
  vd_value reference = 0;
  {
    const OrderWatch::Pause pause(watch_);
    vd_value at = c_.emit(VD_OP_LET, {position});
    if (type != ir::kU32) at = c_.emit(VD_OP_CONVERT, {at}, ir::kU32);
    reference = engine_.shared({at, 0, 0, plan_.n});
  }
  watch_.derive(reference, position);
  return reference;
}

void vd_fft_block::sync_shared(vd_fft_access access) {
  check_idle();
  if (access != VD_FFT_ACCESS_READ && access != VD_FFT_ACCESS_WRITE_SHARED) {
    fail(VD_ERR_INVALID, "access ({}) neither reads nor writes shared memory", static_cast<int>(access));
  }
  engine_.switch_access(access == VD_FFT_ACCESS_READ ? fft::Engine::SharedAccess::Read
                                                     : fft::Engine::SharedAccess::Written);
}
