// The object behind vd_reduce_gen: a reduction being written into builders, then compiled to a plan.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/object.h"
#include "primitives/reduce_pass.h"
#include "runtime/plan.h"

struct vd_reduce_gen final : vd::Object {
 public:
  vd_reduce_gen(vd_context& context, const vd_reduce_desc& desc, vd::ir::BuilderFactory factory);

  // Fills in the element and returns the builder; null when all is written.
  vd::ir::Builder* next(vd_reduce_element& out);
  vd::Ref<vd_plan> finish();

 private:
  struct Stage {
    vd::primitives::Reduction reduction;
    vd::primitives::ReduceLayout layout;
    vd::primitives::ReducePass::Role role;
    std::optional<vd::ir::Kernel> kernel;  // once it is complete
    std::vector<std::byte> values;
  };
  void begin_function(vd_reduce_element& out);
  void end_function();
  void begin_pass();
  void end_pass();

  vd::Ref<vd_context> context_;
  const uint32_t device_;
  const vd_builder_flags flags_;
  const vd::ir::BuilderFactory factory_;
  std::vector<Stage> stages_;
  size_t stage_ = 0;
  vd::Ref<vd::ir::Builder> builder_;
  std::unique_ptr<vd::primitives::ReducePass> pass_;
  std::optional<vd::ir::Kernel> function_;  // the caller's, that combines two values
  vd_value function_result_ = 0;            // while it is written
  bool finished_ = false;
};
