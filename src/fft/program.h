// The passes of a transform along one axis of any length: one where a line fits a workgroup; two (D. H. Bailey's
// four-step) or, around a multiplication, three where it does not; and a convolution with a chirp (L. I. Bluestein,
// 1970) of a smooth length where the length has a prime factor above 13.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fft/generator.h"
#include "fft/pass.h"
#include "ir/kernel.h"

namespace vd::fft {

// What to transform. Sides and batches as in PassDesc, for the whole line.
struct Problem {
  std::string name = "fft";
  uint64_t n = 1;
  int sign = -1;
  bool inverse = false;  // what maps are told, with the axis
  uint32_t axis = 0;
  double scale = 1;
  bool convolve = false;
  bool conjugate = true;
  uint32_t instances = 1;
  ir::Scalar compute = ir::Scalar::F32;
  Side in, out, middle;
  std::vector<Batch> batches;
  Maps maps;     // whose arguments the caller declares
  Maps applied;  // and that are written in this problem
  // Buffers for the parts without a map, output's first. An input side with no buffer of its own reads the output's.
  std::vector<PassArgument> outputs, inputs, middles;
};

// A finished pass.
struct Pass {
  ir::Kernel kernel;
  Layout layout;
  PassDesc desc;
  bool workspace = false;  // bound behind the user's buffers, before the constants
  uint32_t registers = 0;  // of an invocation, once it is compiled and if the device says so
};

struct Program {
  std::vector<Pass> passes;
  uint64_t workspace_size = 0;       // bytes
  std::vector<std::byte> constants;  // bound last; never empty
  std::string text() const;          // what explain() says
};

using ir::BuilderFactory;

class Programmer {
 public:
  Programmer(Problem problem, const Limits& limits, BuilderFactory factory, vd_builder_flags flags = 0);

  // As Generator's, through all passes.
  bool next(Element& out);
  ir::Builder& builder() { return *builder_; }
  Generator& generator() { return *generator_; }
  const Problem& problem() const { return problem_; }
  uint32_t pass() const { return static_cast<uint32_t>(program_.passes.size()); }
  // Once next() gave false.
  Program finish();

 private:
  struct Planned {
    PassDesc desc;
    Layout layout;
    Maps applied;
    bool workspace = false;
  };
  void plan();
  bool plan_real();
  void plan_bluestein();
  void plan_split(uint64_t n, const PassDesc& whole);
  bool plan_single(const PassDesc& whole);
  PassDesc whole(uint64_t n) const;
  void begin_pass();
  void end_pass();

  const Problem problem_;
  const Limits limits_;
  const BuilderFactory factory_;
  const vd_builder_flags flags_;
  std::vector<Planned> planned_;
  Table table_;
  Ref<ir::Builder> builder_;
  std::unique_ptr<Generator> generator_;
  Program program_;
};

// All at once, for a problem without maps.
Program make_program(const Problem& problem, const Limits& limits);

}  // namespace vd::fft
