// The order of the registers of a vd_fft_block, followed while their kernel is written. A register holds another
// element of its line before a transform than after it, so the caller's use must match. Every store, load and branch is
// followed: for each register, the order in which it was filled; for each value, the registers that it was computed
// from, and whether a position in the line took part. Registers that are used for other positions than their own give a
// remark. Uses that cannot be known (numbers from elsewhere, branches that disagree) are taken as right, and so is code
// that does the same to all registers, in any order.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fft/radix_plan.h"
#include "ir/builder.h"

namespace vd::fft {

struct OrderRemark {
  vd_fft_block_remark_kind kind = VD_FFT_BLOCK_REMARK_NONE;
  int found = 0, wanted = 0;  // numbers of orders
  uint32_t location = 0;
};

// A block of code that is open.
struct OpenBlock {
  vd_op op;
  std::vector<int> before;             // the orders when it was opened
  std::vector<std::vector<int>> ends;  // of its branches so far
  bool complete = false;               // whether one of its branches runs in any case
  bool partly = false;                 // whether it counts as one that has stored the element
};

// Elements being gone through.
struct ElementWalk {
  int order;
  int element = -1;
  bool told = false;
  // State of the element:
  int partly = 0;       // branches alone that have stored it
  bool placed = false;  // whether its place in the line matters
  int found = -1;       // the order of the register that it was taken from, if that is another
};

class OrderWatch final : public ir::Watcher {
 public:
  OrderWatch(ir::Builder& builder, const RadixPlan& plan);
  ~OrderWatch() override;
  OrderWatch(const OrderWatch&) = delete;
  OrderWatch& operator=(const OrderWatch&) = delete;

  // Code that is written while one of these exists is the block's own, and not looked at.
  class Pause {
   public:
    explicit Pause(OrderWatch& watch) : watch_(watch) { ++watch_.paused_; }
    ~Pause() { --watch_.paused_; }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    OrderWatch& watch_;
  };

  // Follow these registers, too. Those that are new hold nothing, in any order.
  void add(const std::vector<vd_value>& registers);
  // A call takes registers in this order.
  void expect(const std::vector<vd_value>& registers, int order);
  // The registers are in this order now.
  void became(const std::vector<vd_value>& registers, int order);
  // Elements of an order are gone through: the next one, and the value that is its place in the line; the end.
  void begin(int order);
  void element(int number, vd_value position);
  void end();
  void leave() { walk_.reset(); }
  // The block has made a value of another.
  void derive(vd_value value, vd_value source) { made(value, read({&source, 1})); }

  // The remarks so far, each once.
  std::optional<OrderRemark> take();

  void emitted(vd_op op, std::span<const vd_value> operands, uint64_t immediate, uint32_t location,
               vd_value result) override;

 private:
  static constexpr int kUnknown = -1;  // an order that is not known, or does not matter
  // (register, order) of the sources of a value; or one of two marks.
  using Source = std::pair<int, int>;
  using Sources = std::set<Source>;
  static constexpr Source kPlace{-1, -1}, kAnyOrder{-2, -2};
  struct Register {
    vd_value value;
    int index;  // in its set
  };
  int slot_of(vd_value value) const;  // -1: no register
  vd_value root_of(vd_value value) const;
  void made(vd_value value, Sources sources);
  Sources read(std::span<const vd_value> values);
  void loaded(int index, int order);
  void used(const Sources& sources);
  void compare();
  void stored(vd_value target, const Sources& sources, uint32_t location);
  void branch(bool again, bool last);
  void close();
  void note_partial(int slot, OpenBlock& frame);
  void end_element();

  bool same(int a, int b);
  const std::vector<int64_t>& positions(int order);
  std::vector<int64_t> positions_of(int order) const;
  std::vector<int> different(const std::set<int>& orders);
  int slots(int order) const;
  void remark(vd_fft_block_remark_kind kind, int found, int wanted, uint32_t location = 0) {
    remarks_.push_back({kind, found, wanted, location});
  }

  ir::Builder& builder_;
  const RadixPlan& plan_;
  int paused_ = 0;
  std::vector<Register> registers_;
  std::vector<int> orders_;                       // of the registers
  std::unordered_map<vd_value, int> slots_;       // of a register's variable
  std::unordered_map<vd_value, vd_value> roots_;  // a component: its variable
  std::unordered_map<vd_value, Sources> sources_, variables_;
  std::unordered_map<int, std::vector<int64_t>> positions_;
  std::vector<OpenBlock> frames_;
  std::optional<OpenBlock> closed_;  // the block that was closed last
  std::optional<ElementWalk> walk_;
  bool mixed_ = false;
  std::deque<OrderRemark> remarks_;
};

}  // namespace vd::fft
