// The passes of a transform along one axis of any length, written one after the other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fft/generator.h"
#include "fft/planner.h"
#include "fft/program_code.h"

namespace vd::fft {

// A finished pass.
struct Pass {
  Ref<const vd_kernel> kernel;
  std::shared_ptr<const runtime::KeptKernel> kept;  // in place of the kernel
  LaunchBlock launch;
  uint32_t shared_size = 0;  // bytes
  Layout layout;
  PassDesc desc;
  bool workspace = false;           // bound behind the user's buffers, before the constants
  std::vector<std::byte> values{};  // of a launch, behind those of the caller's
  // The pass that shares its dispatch: then the words of their counters (TicketCounters) are bound behind the workspace.
  std::shared_ptr<const PlannedPass> second{};
  uint32_t counters() const { return second ? TicketCounters::words(layout.ring.order.slots) : 0; }
};

struct Program {
  std::vector<Pass> passes;
  uint64_t workspace_size = 0;                 // bytes
  std::shared_ptr<const Constants> constants;  // bound last; never empty
  Hash128 key;                                 // of its code, without maps
  bool written = false;                        // now, not found by the key
  // The text of explain(): what the device tells of each pass's code goes between one text and the next.
  std::vector<std::string> texts() const;
  std::string text() const;  // without that
};

using ir::BuilderFactory;

class CodeStore;

class ProgramWriter {
 public:
  // Code that is in the store is not written again, and what is written is added to it.
  ProgramWriter(Problem problem, const Limits& limits, BuilderFactory factory, vd_builder_flags flags = 0,
                CodeStore* store = nullptr);

  // As Generator's, through all passes.
  bool next(Element& out);
  ir::Builder& builder() { return *builder_; }
  Generator& generator() { return *generator_; }
  const Problem& problem() const { return problem_; }
  uint32_t pass() const { return static_cast<uint32_t>(program_.passes.size()); }
  // Once next() gave false.
  Program finish();

 private:
  // Passes of the next kernel.
  std::span<const PlannedPass> planned() const;
  size_t kernel_count() const { return plan_.by_ticket() ? 1 : plan_.passes.size(); }
  bool find_code();
  void begin_pass();
  void end_pass();
  void add_pass(const ProgramCode::Pass& code);

  const Problem problem_;
  const BuilderFactory factory_;
  const vd_builder_flags flags_;
  Table table_;
  const Plan plan_;
  CodeStore* const store_;  // null for maps, whose code is the caller's
  ProgramCode code_;
  Ref<ir::Builder> builder_;
  std::unique_ptr<Generator> generator_;
  Program program_;
};

// All at once, for a problem without maps.
Program make_program(const Problem& problem, const Limits& limits, const BuilderFactory& factory,
                     vd_builder_flags flags = 0, CodeStore* store = nullptr);
Program make_program(const Problem& problem, const Limits& limits);

}  // namespace vd::fft
