// The register-and-exchange engine: a Stockham transform (autosorting, T. G. Stockham, 1966) of one line by T threads
// that hold its values in registers and exchange them through shared memory between stages. It knows nothing of where
// values come from or go to: load, store and map strategies stand around it.
//
// Slot i of a stage of radix R is value i % R of the thread's butterfly number i / R. Inputs are in the order of the
// first stage's slots, outputs in that of the last; both sit at position lane + T * round + r * N / R.
#pragma once

#include <span>
#include <vector>

#include "fft/code.h"
#include "fft/exchange.h"
#include "fft/radix_plan.h"
#include "fft/table.h"

namespace vd::fft {

// A thread's place in its group.
struct Lane {
  Value lane;  // 0 to T - 1 of its line
  Value line;  // of the group
};

// Where a slot's value belongs. An idle thread has a valid position, and must not write.
struct Slot {
  Value position;
  Spot place;            // the same, with what is known of it
  Value owned;           // condition to write; 0: always
  uint32_t least, most;  // what the position may be
};

class Engine {
 public:
  // `table` is the buffer of constants, `shared` the exchange array; either may be 0 if the plan needs none.
  Engine(Code& code, const Lane& lane, const Exchange& exchange, Value shared, Table& table, Value table_buffer)
      : c_(code), lane_(lane), exchange_(exchange), shared_(shared), table_(table), table_buffer_(table_buffer) {}

  static uint32_t input_count(const RadixPlan& plan) { return slot_count(plan.stages.front()); }
  static uint32_t output_count(const RadixPlan& plan) { return slot_count(plan.stages.back()); }
  std::vector<Slot> inputs(const RadixPlan& plan) { return slots(plan, plan.stages.front()); }
  std::vector<Slot> outputs(const RadixPlan& plan) { return slots(plan, plan.stages.back()); }

  // Transforms `values`; their number becomes output_count().
  void run(const RadixPlan& plan, int sign, std::vector<Complex>& values);
  // A barrier, if shared memory was used since the last one.
  void settle();
  // The caller has used shared memory.
  void soil() { dirty_ = true; }

 private:
  static uint32_t slot_count(const Stage& stage) { return stage.radix * stage.rounds; }
  std::vector<Slot> slots(const RadixPlan& plan, const Stage& stage);
  // Number of a thread's butterfly; idle threads repeat the last one.
  Spot butterfly_number(const RadixPlan& plan, const Stage& stage, uint32_t round, Value* owned);
  // The roots of each round of a stage, loaded; those of rounds that have the same are one.
  struct Twiddle {
    Value j = 0;  // which
    std::vector<Complex> loaded;
    std::vector<Complex> powers;
  };
  std::vector<Twiddle> load_twiddles(const RadixPlan& plan, const Stage& stage);
  // Multiplies by the roots and transforms.
  void twiddle(const Stage& stage, Twiddle& by, int sign, std::span<Complex> x);
  void exchange(const RadixPlan& plan, const Stage& from, const Stage& to, std::vector<Complex>& values);
  Spot output(const RadixPlan& plan, const Stage& stage, uint32_t round, Value* owned);
  void permute(const RadixPlan& plan, const Stage& from, const Stage& to, std::vector<Complex>& values);

  Code& c_;
  const Lane lane_;
  const Exchange& exchange_;
  const Value shared_;
  Table& table_;
  const Value table_buffer_;
  bool dirty_ = false;  // shared memory holds values that others may still read
};

}  // namespace vd::fft
