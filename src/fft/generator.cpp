#include "fft/generator.h"

namespace vd::fft {

Generator::Generator(const PassDesc& desc, const Layout& layout, ir::Builder& builder, Table& table)
    : desc_(desc),
      layout_(layout),
      c_(builder, desc.compute, layout.wide),
      launch_values_(c_, desc, layout),
      table_(table) {}

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
  Tile& tile = tile_.emplace(desc_, layout_, c_, table_, std::move(buffers), launch_values_);
  if (layout_.ahead != 0) {
    co_yield write_tiles(tile);
  } else {
    tile.place();
    co_yield desc_.source->write(tile);
    co_yield write_steps(tile);
  }
  tile.engine.leave();
}

Steps<Element> Generator::write_steps(Tile& tile) {
  for (const auto& step : desc_.steps) co_yield step->write(tile);
  for (const auto& step : desc_.copy_steps) step->share(tile);
  for (tile.begin_copies(); tile.next_copy();) {
    for (const auto& step : desc_.copy_steps) co_yield step->write(tile);
    co_yield desc_.target->write(tile);
  }
}

Steps<Element> Generator::write_tiles(Tile& tile) {
  const Value first = tile.here().group, groups = c_.builtin(VD_BUILTIN_NUM_WORKGROUPS, 0);
  const Value end = c_.offset(launch_values_.get(LaunchNumber::What::LastWorkgroup), 1);
  tile.place(first);
  desc_.source->copy_ahead(tile);
  c_.emit(VD_OP_ASYNC_COMMIT, {});
  const Value number = c_.emit(VD_OP_FOR, {first, end, groups}, ir::Type(), VD_LOOP_ROLLED);
  c_.emit(VD_OP_ASYNC_WAIT, {});
  tile.place(number);
  co_yield desc_.source->write(tile);
  const Value next = c_.add(number, groups);
  const Value more = c_.emit(VD_OP_LT, {next, end});
  c_.begin_if(more);
  tile.place(next);
  desc_.source->copy_ahead(tile);
  c_.emit(VD_OP_ASYNC_COMMIT, {});
  c_.end_if(more);
  tile.place(number);
  co_yield write_steps(tile);
  c_.emit(VD_OP_END, {});
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
