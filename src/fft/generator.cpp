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
  tile.place();

  co_yield desc_.source->write(tile);
  for (const auto& step : desc_.steps) co_yield step->write(tile);
  for (const auto& step : desc_.copy_steps) step->share(tile);
  for (tile.begin_copies(); tile.next_copy();) {
    for (const auto& step : desc_.copy_steps) co_yield step->write(tile);
    co_yield desc_.target->write(tile);
  }
  tile.engine.leave();
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
