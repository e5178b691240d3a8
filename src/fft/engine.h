// The register-and-exchange engine: a Stockham transform (autosorting, T. G. Stockham, 1966) of one line by T
// invocations that hold its values in registers and exchange them through shared memory between stages. It does not
// know the origin or destination of values: load, store and map strategies use it.
//
// Slot i of a stage of radix R is value i % R of the invocation's butterfly number i / R. Inputs are in the order of
// the first stage's slots, outputs in that of the last; both sit at position lane + T * round + r * N / R. Between two
// stages, the first one's results are stored to shared memory at the places of its outputs, and loaded from the places
// of the next one's inputs.
#pragma once

#include <span>
#include <vector>

#include "fft/complex_writer.h"
#include "fft/exchange.h"
#include "fft/radix_plan.h"
#include "fft/roots.h"

namespace vd::fft {

// An invocation's place in its workgroup, by one assignment of lines to invocations.
struct LineIndex {
  Value lane;      // 0 to T - 1 of its line
  Value line;      // of the workgroup
  Value rank = 0;  // of the workgroup in its cluster; 0: there is none
};

// The position of a slot's value in the line. An idle invocation has a valid position, and must not write.
struct RegisterSlot {
  Value position;
  Position place;        // the same, with its known parts
  Value owned;           // condition to write; 0: always
  uint32_t least, most;  // bounds of the position
  // Of two axes, the position is number `minor` of row `major`.
  Position major{}, minor{};
};

// The values of a line that are in each slot: the inputs of a stage, or its outputs.
struct RegisterOrder {
  uint32_t stage = 0;
  bool outputs = false;
};

class Engine {
 public:
  // `lanes`: of the assignments that stages name. `shared` is the exchange array; 0 if nothing goes through it.
  Engine(ComplexWriter& code, std::vector<LineIndex> lanes, const Exchange& exchange, Value shared, Roots& roots)
      : c_(code), lanes_(std::move(lanes)), exchange_(exchange), shared_(shared), roots_(roots) {}

  static uint32_t slot_count(const Stage& stage) { return stage.radix * stage.rounds; }
  std::vector<RegisterSlot> inputs(const RadixPlan& plan) { return slots(plan, RegisterOrder{0, false}); }
  std::vector<RegisterSlot> outputs(const RadixPlan& plan) {
    return slots(plan, RegisterOrder{static_cast<uint32_t>(plan.stages.size() - 1), true});
  }
  std::vector<RegisterSlot> slots(const RadixPlan& plan, RegisterOrder order);

  // Transforms `values`, which become the outputs.
  void run(const RadixPlan& plan, int sign, std::vector<Complex>& values);
  // Moves the values of one order into another.
  void move(const RadixPlan& plan, RegisterOrder from, RegisterOrder to, std::vector<Complex>& values);
  // The halves of that, for exchanges that are not planar: to shared memory, and from there.
  void put(const RadixPlan& plan, RegisterOrder from, const std::vector<Complex>& values);
  std::vector<Complex> take(const RadixPlan& plan, RegisterOrder to);

  // A barrier, if shared memory was used since the last one.
  void sync();
  // Ends the use of shared memory: other workgroups may still read it.
  void leave();
  // The caller has used shared memory.
  void mark_shared_used() { access_ = SharedAccess::Read; }
  // A barrier, unless shared memory was last used in the same way.
  enum class SharedAccess : uint8_t { None, Read, Written };
  void switch_access(SharedAccess next);
  // The address of an element of the line in shared memory, by the first assignment.
  Value shared(const Position& place) { return shared(place, lanes_.front().line); }
  // Any line's.
  Value shared(const Position& place, Value line) { return c_.at(shared_, exchange_.address(c_, place, line)); }
  void set_shared(Value array) { shared_ = array; }

 private:
  std::vector<RegisterSlot> slots(const RadixPlan& plan, const Stage& stage);
  // In the whole line, of which a cluster's workgroup has a part.
  std::vector<RegisterSlot> slots_in_line(const RadixPlan& plan, const Stage& stage);
  // The number in the whole line of a butterfly, as this workgroup counts them.
  Position in_line(const RadixPlan& plan, const Stage& stage, const Position& butterfly);
  Value in_line(const RadixPlan& plan, const Stage& stage, Value butterfly);
  const LineIndex& lane(const Stage& stage) const { return lanes_[stage.assignment]; }
  // Number of an invocation's butterfly; idle invocations repeat the last one.
  Position butterfly_number(const RadixPlan& plan, const Stage& stage, uint32_t round, Value* owned);
  Position dealt_number(const RadixPlan& plan, const Stage& stage, uint32_t round, Value* owned);
  // Finds the rows of slots, of this many positions each, and their places in them.
  void find_rows(uint32_t row, std::vector<RegisterSlot>& slots);
  // The loaded twiddles of each round of a stage; rounds with equal twiddles share them.
  struct Twiddle {
    Value j = 0;  // which
    std::vector<Complex> loaded;
    std::vector<Complex> powers;
  };
  // Finds which of the stage's roots are for butterflies that are number j of their span, as this workgroup counts.
  Value root_number(const RadixPlan& plan, const Stage& stage, Value j);
  std::vector<Twiddle> load_twiddles(const RadixPlan& plan, const Stage& stage);
  // A stage's root to each power: those that were loaded, and empty ones.
  std::vector<Complex> loaded_powers(const Stage& stage, const Twiddle& by) const;
  // Multiplies by the roots and transforms.
  void twiddle(const RadixPlan& plan, const Stage& stage, Twiddle& by, int sign, std::span<Complex> x);
  // The place of a butterfly's first output.
  Position output(const Stage& stage, Position butterfly);
  template <class F>
  std::vector<Complex> through_shared(size_t count, F&& go_through);
  // Moves the outputs of a stage to where the next one has its inputs, in the exchange's parts.
  void exchange_parts(const RadixPlan& plan, size_t stage, std::vector<Complex>& values);
  // The same between the workgroups of a cluster.
  void exchange_in_cluster(const RadixPlan& plan, size_t stage, std::vector<Complex>& values);
  void permute(const RadixPlan& plan, RegisterOrder from, RegisterOrder to, std::vector<Complex>& values);
  // Addresses of a round's slots in shared memory, and the condition under which it is owned.
  struct SharedRound {
    Value owned = 0;
    std::vector<Value> at;
  };
  std::vector<SharedRound> shared_addresses(const RadixPlan& plan, RegisterOrder order);
  // Around a convolution (rader.h): its inputs or outputs, and then the values beside it, as elements of the line.
  std::vector<RegisterSlot> convolved_slots(const RadixPlan& plan, RegisterOrder order);
  // Calls take(line, element, owned) for each value that a convolution's first stage takes, or its last one gives.
  template <class F>
  void for_convolved(const RadixPlan& plan, RegisterOrder order, F&& take);
  // The roots of a convolution's inputs, if it stands behind other stages.
  std::vector<Complex> load_entry_roots(const RadixPlan& plan, size_t stage);
  // The line of an invocation's value beside the convolution, and the condition that it has one. 0: it has.
  Value line_beside(const RadixPlan& plan, const Stage& stage, uint32_t number, Value& owned);
  // Multiplies the spectrum of a convolution, which gives the values beside it, too.
  void convolve(const RadixPlan& plan, const Stage& stage, int sign, std::vector<Complex>& values,
                std::vector<Complex>& beside);
  // Whether code written before may have used shared memory without marking it: in a loop, code behind this place runs
  // before it.
  bool is_unsure();
  // A barrier; of the cluster, if its workgroups may have read this one's shared memory since the last one.
  void barrier();

  ComplexWriter& c_;
  const std::vector<LineIndex> lanes_;
  const Exchange& exchange_;
  Value shared_;
  Roots& roots_;
  SharedAccess access_ = SharedAccess::None;  // state of shared memory: unused, read or written by other invocations
  ir::RegionId used_in_ = 0;                  // where
  bool crossed_ = false;                      // read by other workgroups
};

}  // namespace vd::fft
