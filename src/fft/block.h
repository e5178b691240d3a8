// The object behind vd_fft_block: the engine inside a kernel that a caller writes, with the caller's loads and stores.
#pragma once

#include <vector>

#include "core/object.h"
#include "fft/assignment.h"
#include "fft/block_plan.h"
#include "fft/engine.h"
#include "fft/order_watch.h"

struct vd_fft_block final : vd::Object {
 public:
  vd_fft_block(vd::ir::Builder& builder, const vd_fft_block_desc& desc);
  ~vd_fft_block() override;

  void get_place(vd_fft_block_assignment& out) const;
  const std::vector<vd_value>& registers() const { return registers_; }
  void set_registers(std::vector<vd_value> registers);
  void next(vd_fft_access access, vd_fft_block_element& out);
  void end();
  void execute(bool inverse);
  void normalize();
  void reorder(int32_t order);
  void set_order(int32_t order);
  void to_shared();
  void from_shared(int32_t order);
  vd_value shared(vd_value position);
  void sync_shared(vd_fft_access access);
  // The next remark on registers that were used in another order than they are in.
  void take_remark(vd_fft_block_remark& out);

 private:
  using RegisterOrder = vd::fft::RegisterOrder;
  const vd::fft::RadixPlan& radices() const { return plan_.layout.radices; }
  void check_idle() const;
  RegisterOrder order_of(int32_t number) const;
  static int number_of(RegisterOrder order) { return static_cast<int>(2 * order.stage + (order.outputs ? 1 : 0)); }
  bool is_input(RegisterOrder order) const { return order.stage == 0 && !order.outputs; }
  bool is_output(RegisterOrder order) const { return order.stage + 1 == radices().stages.size() && order.outputs; }
  std::vector<vd::fft::Complex> load();
  void store(const std::vector<vd::fft::Complex>& values);
  void need_shared();
  void declare_shared();
  void close_element();

  const vd::Ref<vd::ir::Builder> builder_;
  const vd::fft::BlockPlan plan_;
  const vd::fft::RadixPlan backward_;
  vd::fft::ComplexWriter c_;
  vd::fft::Assignment assignment_;
  vd_value first_ = 0;  // index of the line's first element
  vd::fft::OwnRoots roots_;
  vd::fft::Engine engine_;
  bool has_shared_ = false;
  std::vector<vd_value> registers_;
  RegisterOrder order_;
  vd::fft::OrderWatch watch_;

  // The elements being gone through.
  bool walking_ = false;
  vd_fft_access access_ = VD_FFT_ACCESS_READ;
  std::vector<vd::fft::RegisterSlot> slots_;
  size_t at_ = 0;
  vd_value condition_ = 0;  // of the `if` that is open
  size_t depth_ = 0;        // of blocks of code, with it
};
