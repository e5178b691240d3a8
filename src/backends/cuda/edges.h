// Which earlier commands of a list a command must run after, by the bytes that they use. Memory is cut into pieces that
// have one history: who wrote last, and who has read since. A command is looked at by few later ones, however many read
// the same bytes: a reader only waits for the writer, and a writer takes the readers' place.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "backends/cuda/arguments.h"

namespace vd::cuda {

// Bytes that a command uses, by address: two memories may be one.
struct Access {
  CUdeviceptr begin, end;
  bool write;
};

class Hazards {
 public:
  // The commands that `command` must run after, each once and in order. Commands come in their order.
  std::vector<uint32_t> add(uint32_t command, const std::vector<Access>& uses);

 private:
  static constexpr uint32_t kNobody = ~0u;
  struct Piece {
    CUdeviceptr end;
    uint32_t writer = kNobody;
    std::vector<uint32_t> readers;
  };
  void cut(CUdeviceptr at);
  template <class F>
  void each(const Access& use, F&& f);

  std::map<CUdeviceptr, Piece> pieces_;  // by where they begin
};

// For each command of a list, those that it must run after.
using Edges = std::vector<std::vector<uint32_t>>;
Edges find_edges(const CommandView& view);

// Whether a command of a list does anything.
bool does_something(const backends::Command& command);

}  // namespace vd::cuda
