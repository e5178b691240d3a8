#include "fft/phases/deal.h"

namespace vd::fft {

bool is_dealt(const PassDesc& desc, const Side& side, uint64_t Batch::*stride, uint64_t count) {
  return side.stride == 1 && side.split == 0 && side.rows.count == 0 && side.low == 0 && side.scalar == desc.compute &&
         desc.compute == ir::Scalar::F32 && desc.batches.size() == 1 && desc.batches[0].*stride >= count &&
         desc.batches[0].count > 1;
}

bool is_partial(const Tile& tile) { return tile.layout.tiles * tile.layout.lines > line_count(tile.desc.batches); }

Value lines_behind(Tile& tile, Value line) {
  return tile.c.emit(VD_OP_SUB, {tile.launch_values.get(LaunchNumber::What::LastLine), line});
}

std::vector<Dealt> deal(Tile& tile, const Side& side, uint64_t Batch::*stride, uint32_t count) {
  ComplexWriter& c = tile.c;
  const Layout& layout = tile.layout;
  const Tile::Place& here = tile.here();
  const uint32_t size = layout.workgroup_size(), elements = count * layout.lines;
  const uint64_t pitch = tile.desc.batches[0].*stride;
  const bool partial = is_partial(tile);
  const ir::Type type = ComplexWriter::type(tile.base(side));
  const Value first_line = c.mul(here.group, layout.lines);
  const Value first_start = c.add(c.mul(c.widen(first_line, type), pitch), tile.first(side));
  const Value behind = partial ? lines_behind(tile, first_line) : Value{0};
  const bool whole = size % count == 0;  // lines at a time: an invocation stays at its place along them
  const Value own_line = c.div(here.invocation, count), own_position = c.rem(here.invocation, count);
  const Value own_start = c.add(first_start, c.mul(c.widen(own_line, type), pitch));
  std::vector<Dealt> all;
  for (uint32_t first = 0; first < elements; first += size) {
    const Value which = c.offset(here.invocation, first);
    const bool past = first + size > elements;
    Dealt one{};
    one.there = past ? c.below(which, elements) : 0;
    if (whole) {
      const Value line = c.offset(own_line, first / count);
      one.line = past ? c.emit(VD_OP_MIN, {line, c.index(layout.lines - 1)}) : line;
      one.position = own_position;
    } else {
      const Value taken = past ? c.emit(VD_OP_MIN, {which, c.index(elements - 1)}) : which;
      one.line = c.div(taken, count);
      one.position = c.rem(taken, count);
    }
    one.exists = c.both(here.workgroup_exists, one.there);
    if (whole && !past && !partial) {
      one.start = c.offset(own_start, first / count * pitch);
    } else {
      Value line = one.line;
      if (partial) {
        one.exists = c.both(one.exists, c.emit(VD_OP_LE, {line, behind}));
        line = c.emit(VD_OP_MIN, {line, behind});
      }
      one.start = c.add(first_start, c.mul(c.widen(line, type), pitch));
    }
    all.push_back(one);
  }
  return all;
}

}  // namespace vd::fft
