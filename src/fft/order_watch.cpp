#include "fft/order_watch.h"

#include <algorithm>

namespace vd::fft {

OrderWatch::OrderWatch(ir::Builder& builder, const RadixPlan& plan) : builder_(builder), plan_(plan) {
  builder_.watch(*this);
}

OrderWatch::~OrderWatch() { builder_.unwatch(*this); }

std::optional<OrderRemark> OrderWatch::take() {
  if (remarks_.empty()) return std::nullopt;
  const OrderRemark first = remarks_.front();
  remarks_.pop_front();
  return first;
}

// ---- Events of the block

void OrderWatch::add(const std::vector<vd_value>& registers) {
  for (size_t i = 0; i < registers.size(); ++i) {
    if (!slots_.try_emplace(registers[i], static_cast<int>(registers_.size())).second) continue;
    registers_.push_back({registers[i], static_cast<int>(i)});
    orders_.push_back(kUnknown);
    variables_.erase(registers[i]);
  }
}

void OrderWatch::expect(const std::vector<vd_value>& registers, int order) {
  for (int i = 0; i < slots(order); ++i) {
    const int found = orders_[slot_of(registers[i])];
    if (found == kUnknown || same(found, order)) continue;
    remark(VD_FFT_BLOCK_REMARK_CALL, found, order);
    // It is said once.
    for (const vd_value known : registers) orders_[slot_of(known)] = kUnknown;
    return;
  }
}

void OrderWatch::became(const std::vector<vd_value>& registers, int order) {
  for (size_t i = 0; i < registers.size(); ++i) {
    orders_[slot_of(registers[i])] = static_cast<int>(i) < slots(order) ? order : kUnknown;
  }
}

void OrderWatch::begin(int order) {
  walk_.emplace();
  walk_->order = order;
}

void OrderWatch::element(int number, vd_value position) {
  end_element();
  walk_->element = number;
  walk_->partly = 0;
  walk_->placed = false;
  walk_->found = kUnknown;
  sources_[position] = {kPlace};
}

void OrderWatch::end() {
  end_element();
  walk_.reset();
}

// ---- Events of the caller

void OrderWatch::emitted(vd_op op, std::span<const vd_value> operands, uint64_t immediate, uint32_t location,
                         vd_value result) {
  if (paused_ != 0) return;
  switch (op) {
    case VD_OP_STORE: {
      Sources sources = read(operands.subspan(1));
      stored(operands[0], sources, location);
      if (const auto into = sources_.find(operands[0]); into != sources_.end()) sources.merge(Sources(into->second));
      used(sources);
      break;
    }
    case VD_OP_INDEX: {
      const vd_value root = root_of(operands[0]);
      if (slot_of(root) >= 0 || variables_.contains(root)) {
        roots_[result] = root;
      } else {
        made(result, read(operands));
      }
      break;
    }
    case VD_OP_VAR:
      variables_[result] = read(operands);
      break;
    case VD_OP_IF:
    case VD_OP_SCOPE:
    case VD_OP_WHILE:
    case VD_OP_LOOP:
    case VD_OP_FOR:
      used(read(operands));
      frames_.push_back({.op = op, .before = orders_, .ends = {}});
      break;
    case VD_OP_ELSE:
    case VD_OP_ELSE_IF:
      used(read(operands));
      branch(immediate != 0, op == VD_OP_ELSE);
      break;
    case VD_OP_END:
      close();
      break;
    default: {
      const Sources sources = read(operands);
      made(result, sources);
      // An atomic operation takes its operands to memory, as a store does.
      const ir::OpInfo& info = ir::op_info(op);
      if (info.has(ir::kReads) && info.has(ir::kWrites)) used(sources);
    }
  }
}

int OrderWatch::slot_of(vd_value value) const {
  const auto found = slots_.find(value);
  return found == slots_.end() ? -1 : found->second;
}

vd_value OrderWatch::root_of(vd_value value) const {
  const auto found = roots_.find(value);
  return found == roots_.end() ? value : found->second;
}

void OrderWatch::made(vd_value value, Sources sources) {
  if (sources.empty()) {
    sources_.erase(value);
  } else {
    sources_[value] = std::move(sources);
  }
}

// The elements from which the values of this use were computed.
OrderWatch::Sources OrderWatch::read(std::span<const vd_value> values) {
  Sources found;
  for (const vd_value value : values) {
    const vd_value root = root_of(value);
    if (const int slot = slot_of(root); slot >= 0) {
      const int order = orders_[slot], index = registers_[slot].index;
      loaded(index, order);
      found.insert(order == kUnknown ? kAnyOrder : Source{index, order});
      continue;
    }
    const auto variable = variables_.find(root);
    if (variable != variables_.end() && !variable->second.empty()) {
      found.insert(variable->second.begin(), variable->second.end());
    } else if (const auto known = sources_.find(value); known != sources_.end()) {
      found.insert(known->second.begin(), known->second.end());
    }
  }
  return found;
}

void OrderWatch::loaded(int index, int order) {
  if (!walk_ || index != walk_->element || order == kUnknown || same(order, walk_->order)) return;
  walk_->found = order;
  compare();
}

void OrderWatch::used(const Sources& sources) {
  if (!walk_ || !sources.contains(kPlace)) return;
  walk_->placed = true;
  compare();
}

void OrderWatch::compare() {
  if (!walk_->placed || walk_->found == kUnknown || walk_->told) return;
  walk_->told = true;
  remark(VD_FFT_BLOCK_REMARK_ELEMENTS, walk_->found, walk_->order);
}

void OrderWatch::stored(vd_value target, const Sources& sources, uint32_t location) {
  const vd_value root = root_of(target);
  if (const auto variable = variables_.find(root); variable != variables_.end()) {
    variable->second.insert(sources.begin(), sources.end());
  }
  const int slot = slot_of(root);
  if (slot < 0) return;
  if (walk_ && registers_[slot].index == walk_->element && (sources.contains(kPlace) || sources.empty())) {
    orders_[slot] = walk_->order;
    return;
  }
  std::set<int> all;
  for (const auto& [number, order] : sources) {
    if (number >= 0) all.insert(order);
  }
  const std::vector<int> orders = different(all);
  orders_[slot] = orders.size() == 1 ? orders[0] : kUnknown;
  if (mixed_ || orders.size() < 2) return;
  // One register in two orders: two sets of them are put together element by element.
  for (const auto& [number, order] : sources) {
    std::set<int> of;
    for (const auto& [other, its] : sources) {
      if (other == number) of.insert(its);
    }
    if (different(of).size() < 2) continue;
    mixed_ = true;
    remark(VD_FFT_BLOCK_REMARK_MIXED, orders[0], orders[1], location);
    return;
  }
}

// ---- Blocks of code

// The next branch of the open `if`, or, if `again`, of the one that was closed last.
void OrderWatch::branch(bool again, bool last) {
  if (again && closed_) {
    frames_.push_back(std::move(*closed_));
    closed_.reset();
    OpenBlock& frame = frames_.back();
    if (frame.partly && walk_) {
      frame.partly = false;
      --walk_->partly;
    }
  } else {
    if (frames_.empty()) return;
    frames_.back().ends.push_back(orders_);
  }
  OpenBlock& frame = frames_.back();
  frame.complete |= last;
  std::ranges::copy(frame.before, orders_.begin());
}

void OrderWatch::close() {
  if (frames_.empty()) return;  // opened before the block began
  OpenBlock frame = std::move(frames_.back());
  frames_.pop_back();
  if (frame.op == VD_OP_SCOPE) return;
  frame.ends.push_back(orders_);
  for (size_t slot = 0; slot < orders_.size(); ++slot) {
    std::set<int> found;
    for (const std::vector<int>& end : frame.ends) {
      if (slot < end.size()) found.insert(end[slot]);
    }
    if (!frame.complete && slot < frame.before.size()) found.insert(frame.before[slot]);
    if (found.size() < 2) continue;
    orders_[slot] = kUnknown;
    note_partial(static_cast<int>(slot), frame);
  }
  closed_ = std::move(frame);
}

// An element that only some cases store keeps its old value in the others.
void OrderWatch::note_partial(int slot, OpenBlock& frame) {
  const int before = slot < static_cast<int>(frame.before.size()) ? frame.before[slot] : kUnknown;
  if (!walk_ || registers_[slot].index != walk_->element || before == kUnknown || same(before, walk_->order)) return;
  if (!frame.partly) {
    frame.partly = true;
    ++walk_->partly;
  }
  // One case after another: none is left, for all that is known.
  orders_[slot] = walk_->partly == 1 ? before : walk_->order;
}

void OrderWatch::end_element() {
  if (walk_->partly != 1) return;
  for (size_t slot = 0; slot < orders_.size(); ++slot) {
    const int order = orders_[slot];
    if (registers_[slot].index != walk_->element || order == kUnknown || same(order, walk_->order)) continue;
    walk_->found = order;
    compare();
  }
}

// ---- Orders

int OrderWatch::slots(int order) const {
  const Stage& stage = plan_.stages[order / 2];
  return static_cast<int>(stage.radix * stage.rounds);
}

bool OrderWatch::same(int a, int b) { return a == b || positions(a) == positions(b); }

// The position in the line of each register of each invocation.
const std::vector<int64_t>& OrderWatch::positions(int order) {
  const auto [found, added] = positions_.try_emplace(order);
  if (added) found->second = positions_of(order);
  return found->second;
}

std::vector<int64_t> OrderWatch::positions_of(int order) const {
  const size_t number = order / 2;
  const bool outputs = order % 2 == 1;
  const Stage& stage = plan_.stages[number];
  const int64_t butterflies = plan_.butterflies(stage), span = stage.span, radix = stage.radix;
  std::vector<int64_t> all;
  for (int64_t slot = 0; slot < slots(order); ++slot) {
    const int64_t round = slot / radix, part = slot % radix;
    for (int64_t butterfly = round * plan_.invocations; butterfly < (round + 1) * plan_.invocations; ++butterfly) {
      const int64_t j = butterfly % span;
      if (butterfly >= butterflies) {
        all.push_back(-1);
      } else if (outputs && number + 1 < plan_.stages.size()) {
        all.push_back((butterfly - j) * radix + j + part * span);
      } else {
        all.push_back(butterfly + part * butterflies);
      }
    }
  }
  return all;
}

// Some orders, each once.
std::vector<int> OrderWatch::different(const std::set<int>& orders) {
  std::vector<int> kept;
  for (const int order : orders) {
    if (std::ranges::none_of(kept, [&](int other) { return same(order, other); })) kept.push_back(order);
  }
  return kept;
}

}  // namespace vd::fft
