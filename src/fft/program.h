// The passes of a transform along one axis of any length, written one after the other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fft/generator.h"
#include "fft/planner.h"
#include "fft/program_code.h"
#include "runtime/written_cache.h"

namespace vd::fft {

// A finished pass.
struct Pass {
  Ref<const vd_kernel> kernel;
  Layout layout;
  PassDesc desc;
  bool workspace = false;           // bound behind the user's buffers, before the constants
  std::vector<std::byte> values{};  // of a launch, behind those of the caller's
  uint32_t given_values = 0;        // bytes of these
  uint32_t registers = 0;           // of an invocation, once it is compiled and if the device reports them
};

struct Program {
  std::vector<Pass> passes;
  uint64_t workspace_size = 0;                 // bytes
  std::shared_ptr<const Constants> constants;  // bound last; never empty
  std::string text() const;                    // the text of explain()
};

using ir::BuilderFactory;

class ProgramWriter {
 public:
  // Code that is in the cache is not written again, and what is written is added to it.
  ProgramWriter(Problem problem, const Limits& limits, BuilderFactory factory, vd_builder_flags flags = 0,
                runtime::WrittenCache* cache = nullptr);

  // As Generator's, through all passes.
  bool next(Element& out);
  ir::Builder& builder() { return *builder_; }
  Generator& generator() { return *generator_; }
  const Problem& problem() const { return problem_; }
  uint32_t pass() const { return static_cast<uint32_t>(program_.passes.size()); }
  // Once next() gave false.
  Program finish();

 private:
  bool find_code();
  void begin_pass();
  void end_pass();
  void add_pass(Ref<const vd_kernel> kernel, const std::vector<LaunchNumber>& numbers);

  const Problem problem_;
  const BuilderFactory factory_;
  const vd_builder_flags flags_;
  Table table_;
  const Plan plan_;
  runtime::WrittenCache* const cache_;  // null for maps, whose code is the caller's
  Hash128 key_;
  ProgramCode code_;
  Ref<ir::Builder> builder_;
  std::unique_ptr<Generator> generator_;
  Program program_;
};

// All at once, for a problem without maps.
Program make_program(const Problem& problem, const Limits& limits);

}  // namespace vd::fft
