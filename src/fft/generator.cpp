#include "fft/generator.h"

#include <algorithm>

#include "fft/ticket_writer.h"

namespace vd::fft {

Generator::Generator(std::span<const PlannedPass> passes, ir::Builder& builder, Table& table)
    : passes_(passes), c_(builder, passes.front().desc.compute, passes.front().layout.wide), table_(table) {
  for (const PlannedPass& pass : passes_)
    launch_values_.emplace_back(c_, pass.desc, pass.layout, static_cast<uint32_t>(launch_values_.size()));
}

std::vector<LaunchNumber> Generator::launch_numbers() const {
  std::vector<LaunchNumber> all;
  for (const LaunchValues& values : launch_values_) all.insert(all.end(), values.all().begin(), values.all().end());
  return all;
}

bool Generator::next(Element& out) {
  if (!steps_) steps_ = write_phases();
  return steps_.next(out);
}

void Generator::declare(const std::vector<PassArgument>& list, std::vector<Value>& to) {
  for (const PassArgument& a : list) {
    to.push_back(c_.builder().argument(VD_ARGUMENT_BUFFER, a.element, a.name.c_str()));
  }
}

Steps<Element> Generator::declare(Buffers& to) {
  const bool mapped[] = {maps.output, maps.input, maps.filter};
  const std::vector<PassArgument>* const lists[] = {&outputs, &inputs, &filters};
  for (uint32_t part = 0; part < 3; ++part) {
    if (mapped[part]) {
      Element arguments;
      arguments.part = part;
      co_yield arguments;
    } else {
      declare(*lists[part], to.given);
    }
  }
  declare(hidden, to.hidden);
  to.constants = c_.builder().argument(VD_ARGUMENT_BUFFER, c_.complex(), "constants");
}

Steps<Element> Generator::write_phases() {
  Buffers buffers;
  co_yield declare(buffers);
  if (passes_.size() > 1) {
    co_yield write_by_ticket(buffers);
    co_return;
  }
  const PlannedPass& pass = passes_.front();
  tile_.emplace(pass.desc, pass.layout, c_, table_, std::move(buffers), launch_values_.front());
  co_yield write_pass(pass);
}

Steps<Element> Generator::write_pass(const PlannedPass& pass) {
  Tile& tile = *tile_;
  if (pass.layout.ahead != 0) {
    co_yield write_tiles(tile);
  } else {
    tile.place();
    co_yield pass.desc.source->write(tile);
    co_yield write_steps(tile);
  }
  tile.engine.leave();
}

Steps<Element> Generator::write_steps(Tile& tile) {
  const PassDesc& desc = tile.desc;
  for (const auto& step : desc.steps) co_yield step->write(tile);
  for (const auto& step : desc.copy_steps) step->share(tile);
  for (tile.begin_copies(); tile.next_copy();) {
    for (const auto& step : desc.copy_steps) co_yield step->write(tile);
    co_yield desc.target->write(tile);
  }
}

Steps<Element> Generator::write_tiles(Tile& tile) {
  const Value first = tile.here().group, groups = c_.builtin(VD_BUILTIN_NUM_WORKGROUPS, 0);
  const Value end = c_.offset(tile.launch_values.get(LaunchNumber::What::LastWorkgroup), 1);
  tile.place(first);
  tile.desc.source->copy_ahead(tile);
  c_.emit(VD_OP_ASYNC_COMMIT, {});
  const Value number = c_.emit(VD_OP_FOR, {first, end, groups}, ir::Type(), VD_LOOP_ROLLED);
  c_.emit(VD_OP_ASYNC_WAIT, {});
  tile.place(number);
  co_yield tile.desc.source->write(tile);
  const Value next = c_.add(number, groups);
  const Value more = c_.emit(VD_OP_LT, {next, end});
  c_.begin_if(more);
  tile.place(next);
  tile.desc.source->copy_ahead(tile);
  c_.emit(VD_OP_ASYNC_COMMIT, {});
  c_.end_if(more);
  tile.place(number);
  co_yield write_steps(tile);
  c_.emit(VD_OP_END, {});
}

// The exchange arrays of both passes, of which a workgroup uses one: the same bytes.
std::array<Value, 2> Generator::declare_shared() {
  const SharedNeed needs[] = {shared_need(c_, passes_[0].layout), shared_need(c_, passes_[1].layout)};
  ir::Builder& builder = c_.builder();
  if (needs[0].elements != 0 && needs[1].elements != 0 && needs[0].type == needs[1].type) {
    const uint32_t elements = std::max(needs[0].elements, needs[1].elements);
    const Value both = builder.shared(needs[0].type, elements, VD_SHARED_OFFSET_AUTO, "line");
    return {both, both};
  }
  std::array<Value, 2> arrays{};
  for (size_t i = 0; i < arrays.size(); ++i)
    if (needs[i].elements != 0) arrays[i] = builder.shared(needs[i].type, needs[i].elements, 0, "line");
  return arrays;
}

Steps<Element> Generator::write_by_ticket(const Buffers& buffers) {
  const std::array<Value, 2> shared = declare_shared();
  TicketWriter tickets(c_, passes_.front().layout, buffers.hidden.at(1), launch_values_.front());
  const Turn turn = tickets.take();
  for (uint32_t i = 0; i < 2; ++i) {
    const PlannedPass& pass = passes_[i];
    tickets.begin(i);
    tile_.emplace(pass.desc, pass.layout, c_, table_, buffers, launch_values_[i], &turn, shared[i]);
    co_yield write_pass(pass);
    tickets.end(i);
  }
  tickets.finish();
}

void Generator::read(const Element& element, Value buffer, Value at, Value into) {
  const Value in_range = element.point == Point::Filter ? 0 : tile_->inside(*element.side, element.position);
  c_.store(into, c_.join(c_.zero()));
  c_.begin_if(in_range);
  c_.store(into, c_.join(tile_->load(*element.side, buffer, at == 0 ? element.address : at, element.position)));
  c_.end_if(in_range);
}

void Generator::write(const Element& element, Value buffer, Value at, Value value) {
  const Value in_range = tile_->inside(*element.side, element.position);
  c_.begin_if(in_range);
  // The element's own value is the variable that maps change.
  if (ir::Builder::type_of(value).is_reference()) value = c_.load(value);
  tile_->store(*element.side, buffer, at == 0 ? element.address : at, c_.split(value));
  c_.end_if(in_range);
}

}  // namespace vd::fft
