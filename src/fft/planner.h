// Plans lines of any length as passes, by the strategies of a catalogue: the first one that takes a line plans it, and
// may hand parts of its work on as other lines.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fft/element.h"
#include "fft/layout.h"
#include "fft/line.h"
#include "fft/pass.h"
#include "fft/table.h"

namespace vd::fft {

// Numbers along a line are 32 bits wide.
constexpr uint64_t kLongestLine = uint64_t{1} << 32;

// The transform to plan. Sides and batches are those of the whole line.
struct Problem {
  std::string name = "fft";
  uint64_t n = 1;
  uint32_t rows = 0;        // of two axes, whose near one has this length n: the length of the far one; 0: one axis
  bool axes_apart = false;  // a pass along each of the two
  int sign = -1;
  bool inverse = false;  // passed to maps, with the axis
  uint32_t axis = 0;
  double scale = 1;
  bool convolve = false;
  bool conjugate = true;
  uint32_t instances = 1;
  uint32_t first_instance = 0, filter_count = 1;  // passed to maps
  ir::Scalar compute = ir::Scalar::F32;
  Side in, out, filter;
  std::vector<Batch> batches;
  std::optional<SpectrumOrder> order;  // of the spectrum, if it is not natural
  Maps maps;                           // whose arguments the caller declares
  Maps applied;                        // and that are written in this problem
  // Buffers for the parts without a map, output's first. An input side with no buffer of its own reads the output's.
  std::vector<PassArgument> outputs, inputs, filters;
  uint64_t kept = 0;  // elements at the workspace's beginning that hold hidden sides
};

// A pass to write.
struct PlannedPass {
  PassDesc desc;
  Layout layout;
  bool workspace() const { return desc.source->side().hidden || desc.target->side().hidden; }
};

struct Plan {
  std::vector<PlannedPass> passes;
  uint64_t workspace_size = 0;  // bytes
  // Of two passes of long lines, or of planes: where the numbers between them lie in the workspace.
  struct Between {
    uint32_t batches = 0;  // of lines that have parts of their own, one after the other: the passes' last ones
    uint64_t part = 0;     // elements of one
  };
  std::optional<Between> between;
  // Whether both passes are one dispatch.
  bool by_ticket() const { return !passes.empty() && passes.front().layout.ring.order; }
};

// Adds the passes' constants to the table.
Plan make_plan(const Problem& problem, const Limits& limits, Table& table);

// Whether a device does two axes in one pass, and faster than each of them in a problem of its own.
bool joins_axes(const Problem& joined, std::span<const Problem> apart, const Limits& limits);
// Whether the tuning has a pass along each of the axes share a dispatch, by ticket.
bool shares_dispatch(const Problem& joined, const Limits& limits);

// A plan being made; strategies add to it.
class Planner {
 public:
  Planner(const Limits& limits, Table& table, ir::Scalar compute) : limits(limits), table(table), compute_(compute) {}

  const Limits& limits;
  Table& table;

  // Adds the passes of these lines, by the first strategy that takes them.
  void plan(const Line& line);
  // The reason, in a sentence, if no other strategy takes the lines.
  void refuse(std::string reason) { refusal_ = std::move(reason); }
  // False if a line does not fit a workgroup.
  bool add(PassDesc pass);
  // A pass whose lines the workgroups of a cluster share; false if they do not fit one.
  bool add_shared(PassDesc pass);
  size_t pass_count() const { return plan_.passes.size(); }
  void drop_passes_from(size_t first) { plan_.passes.resize(first), plan_.between.reset(); }
  void set_between(Plan::Between between) { plan_.between = between; }
  // If the passes from number `first` on spill registers or move parts of sectors, has `other` plan the same work, and
  // keeps what is better. `other` returns false if it cannot.
  void improve(size_t first, const std::function<bool()>& other);
  // Has `other` plan the work of the passes from number `first` on, and keeps that if its estimate is less than `part` of
  // theirs.
  void replace(size_t first, double part, const std::function<bool()>& other);

  // A side in the workspace.
  Side workspace(uint64_t offset) const;
  // Elements at the workspace's beginning that the passes of a line leave alone, and those behind them that they use.
  uint64_t kept() const { return kept_; }
  void keep(uint64_t elements) { kept_ += elements; }
  void reserve(uint64_t elements);

  Plan finish() { return std::move(plan_); }

 private:
  using ChooseLayout = bool(const PassDesc& desc, const Limits& limits, Layout& out);
  bool add(PassDesc pass, ChooseLayout& choose);

  const ir::Scalar compute_;
  Plan plan_;
  uint64_t kept_ = 0;
  std::string refusal_;
};

}  // namespace vd::fft
