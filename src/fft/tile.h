// The tile of a pass while its kernel is written: the lines that a workgroup holds in registers, the invocation's place
// among them, and their elements in memory. Phases write their code with it, and pass the values on.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "fft/assignment.h"
#include "fft/element.h"
#include "fft/engine.h"
#include "fft/factor.h"
#include "fft/layout.h"
#include "fft/pass.h"

namespace vd::fft {

// The arguments of a kernel.
struct Buffers {
  std::vector<Value> given, hidden;
  Value constants = 0;
};

// The array through which a tile's invocations exchange numbers; without elements they do not.
struct SharedNeed {
  ir::Type type;
  uint32_t elements = 0;
};
SharedNeed shared_need(const ComplexWriter& c, const Layout& layout);

class Tile {
 public:
  // `turn`: the workgroup's tile was taken by ticket; null: it is that of the workgroup's number. `shared`: as much as the
  // tile needs; 0: it declares its own.
  Tile(const PassDesc& desc, const Layout& layout, ComplexWriter& code, Table& table, Buffers buffers,
       LaunchValues& launch_values, const Turn* turn = nullptr, Value shared = 0);
  Tile(const Tile&) = delete;
  Tile& operator=(const Tile&) = delete;

  const PassDesc& desc;
  const Layout& layout;
  ComplexWriter& c;
  Table& table;
  const Buffers buffers;
  LaunchValues& launch_values;
  const Turn* const turn;
  const Value shared;  // the exchange array; 0: none
  const Value ahead;   // the next tile, as the source's buffer has it; 0: it is not read ahead
  // The invocation's place by each of the layout's assignments.
  struct Place : Assignment {
    Value interleaved = 0;  // one coordinate for the batches that are
  };
  std::vector<Place> places;
  const RadixPlan forward, backward;
  TableRoots roots;
  Engine engine;

  std::vector<Complex> values;      // that this invocation holds
  std::vector<RegisterSlot> slots;  // their places in the lines
  std::vector<RegisterSlot> end;    // and those after the last transform

  // ---- Places
  const Place& at(const Stage& stage) const { return places[stage.assignment]; }
  // Places of the values that are read, of the first transform's results, and of what is written.
  const Place& at_read() const { return at(forward.stages.front()); }
  const Place& at_spectrum() const { return at(forward.stages.back()); }
  const Place& at_write() const { return demands(desc).back ? at_read() : at_spectrum(); }
  const Place& here() const { return *here_; }
  void move_to(const Place& place) { here_ = &place; }
  // Makes positions of two axes numbers of columns, as a transform leaves them, or of rows.
  void set_transposed(bool transposed) { transposed_ = transposed; }
  // Writes the addresses of the lines that the pass accesses.
  void place();
  // The same for a tile by its number, of those that a workgroup takes one after the other.
  void place(Value number);
  // The place of one of the invocation's values that were read ahead.
  Value place_ahead(uint32_t i) { return c.shared_offset(here().invocation, uint64_t{i} * layout.workgroup_size()); }
  Value base(const Side& side) const { return bases_.at(&side); }
  // The address of a side's first line.
  Value first(const Side& side) const { return firsts_.at(&side); }
  // The element number of a side, of this split, that a position of this pass is.
  Value number(uint64_t split, Value position);
  Value number(const Side& side, const RegisterSlot& slot);
  Value address(const Side& side, const RegisterSlot& slot);
  // The condition that the side has this element; 0: it always has, and kNever: it never has. A map is traced for every
  // element of a line: it checks the range itself.
  static constexpr Value kNever = ~Value{0};
  Value inside(const Side& side, Value number, const RegisterSlot* slot = nullptr, bool mapped = false);

  // ---- Values
  Value buffer(const Side& side) const {
    return side.hidden ? buffers.hidden[side.argument] : buffers.given[side.argument];
  }
  Complex load(const Side& side, Value at, Value number) { return load(side, buffer(side), at, number); }
  Complex load(const Side& side, Value buffer, Value at, Value number);
  void store(const Side& side, Value at, Complex value) { store(side, buffer(side), at, value); }
  void store(const Side& side, Value buffer, Value at, Complex value);

  // ---- Copies
  // They are a loop, so that a kernel's code does not grow with them, if no map of the caller's gets their numbers.
  void begin_copies();
  bool next_copy();
  // An address of a copy, and of one of several arrays that a phase writes for it.
  Value at_copy(Value at, const Side& side, uint32_t more = 0);
  // An element that a map of the caller's writes.
  Element element(Point point, const Side& side, size_t i, Value number, Value at, uint32_t more = 0);

 private:
  Value declare_ahead();
  // `number`: of the tile; 0: the workgroup's.
  std::vector<Place> find_places(Value number = 0);
  // Whether the side's lines lie in the ring between two passes.
  bool in_ring(const Side& side) const { return turn != nullptr && side.hidden; }
  uint64_t access(const Side& side) const { return in_ring(side) && layout.ring.coherent ? VD_ACCESS_COHERENT : 0; }
  Value mirrored(const Side& side, Value number);
  // A slot's place along each of two axes, as a number and its bounds.
  struct Along {
    Position place;
    uint64_t least = 0, most = 0;
  };
  struct InRows {
    Along near, far;
  };
  InRows in_rows(const RegisterSlot& slot) const;
  Value whole(const Along& along) { return c.offset(along.place.base, along.place.offset); }
  // The place where it is stored, if the other half of a spectrum is.
  std::array<Value, 2> stored(const Side& side, const InRows& at);
  Value address_in_rows(const Side& side, const RegisterSlot& slot);
  Value inside_rows(const Side& side, const RegisterSlot& slot);

  const Place* here_;                              // of the values
  std::unordered_map<const Side*, Value> bases_;   // address of position 0 of the line
  std::unordered_map<const Side*, Value> firsts_;  // and of the first line's
  std::unordered_map<const Side*, Value> copies_;  // elements from one array to the next, where there are several
  uint32_t copy_ = 0;
  Value copy_index_ = 0;  // of the loop
  bool rolled_ = false, copying_ = false, transposed_ = false;
  std::vector<Complex> spectrum_;  // that each copy begins with
  std::vector<RegisterSlot> spectrum_slots_;
};

}  // namespace vd::fft
