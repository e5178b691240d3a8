// The passes of a transform along one axis of any length, written one after the other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fft/generator.h"
#include "fft/planner.h"
#include "ir/kernel.h"

namespace vd::fft {

// A finished pass.
struct Pass {
  ir::Kernel kernel;
  Layout layout;
  PassDesc desc;
  bool workspace = false;  // bound behind the user's buffers, before the constants
  uint32_t registers = 0;  // of an invocation, once it is compiled and if the device reports them
};

struct Program {
  std::vector<Pass> passes;
  uint64_t workspace_size = 0;  // bytes
  Constants constants;          // bound last; never empty
  std::string text() const;     // the text of explain()
};

using ir::BuilderFactory;

class ProgramWriter {
 public:
  ProgramWriter(Problem problem, const Limits& limits, BuilderFactory factory, vd_builder_flags flags = 0);

  // As Generator's, through all passes.
  bool next(Element& out);
  ir::Builder& builder() { return *builder_; }
  Generator& generator() { return *generator_; }
  const Problem& problem() const { return problem_; }
  uint32_t pass() const { return static_cast<uint32_t>(program_.passes.size()); }
  // Once next() gave false.
  Program finish();

 private:
  void begin_pass();
  void end_pass();

  const Problem problem_;
  const BuilderFactory factory_;
  const vd_builder_flags flags_;
  Table table_;
  const Plan plan_;
  Ref<ir::Builder> builder_;
  std::unique_ptr<Generator> generator_;
  Program program_;
};

// All at once, for a problem without maps.
Program make_program(const Problem& problem, const Limits& limits);

}  // namespace vd::fft
