#include "backends/cuda/edges.h"

#include <algorithm>
#include <utility>

namespace vd::cuda {

using backends::Command;
using backends::Range;

void Hazards::cut(CUdeviceptr at) {
  auto next = pieces_.upper_bound(at);
  if (next == pieces_.begin()) return;
  const auto piece = std::prev(next);
  if (piece->first == at || piece->second.end <= at) return;
  Piece rest = piece->second;
  piece->second.end = at;
  pieces_.emplace_hint(next, at, std::move(rest));
}

// f(piece) for the pieces that make up the bytes of a use; those that nobody has used yet are made.
template <class F>
void Hazards::each(const Access& use, F&& f) {
  cut(use.begin);
  cut(use.end);
  CUdeviceptr at = use.begin;
  for (auto piece = pieces_.lower_bound(use.begin); at < use.end; ++piece) {
    if (piece == pieces_.end() || piece->first != at) {
      const CUdeviceptr end = piece == pieces_.end() ? use.end : std::min(use.end, piece->first);
      piece = pieces_.emplace_hint(piece, at, Piece{end, kNobody, {}});
    }
    f(piece->second);
    at = piece->second.end;
  }
}

std::vector<uint32_t> Hazards::add(uint32_t command, const std::vector<Access>& uses) {
  std::vector<uint32_t> after;
  for (const Access& use : uses)
    each(use, [&](const Piece& piece) {
      if (piece.writer != kNobody) after.push_back(piece.writer);
      if (use.write) after.insert(after.end(), piece.readers.begin(), piece.readers.end());
    });
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  for (const Access& use : uses)
    if (!use.write)
      each(use, [&](Piece& piece) {
        if (piece.readers.empty() || piece.readers.back() != command) piece.readers.push_back(command);
      });
  for (const Access& use : uses) {
    if (!use.write || use.begin >= use.end) continue;
    // Whoever waits for this write waits for what it covers too.
    cut(use.begin);
    cut(use.end);
    pieces_.erase(pieces_.lower_bound(use.begin), pieces_.lower_bound(use.end));
    pieces_.emplace(use.begin, Piece{use.end, command, {}});
  }
  return after;
}

bool does_something(const Command& command) {
  if (command.kind == Command::Kind::Dispatch)
    return command.workgroups[0] != 0 && command.workgroups[1] != 0 && command.workgroups[2] != 0;
  return command.destination.size != 0;
}

Edges find_edges(const CommandView& view) {
  Edges edges(view.commands.size());
  Hazards hazards;
  std::vector<Access> uses;
  for (uint32_t i = 0; i < view.commands.size(); ++i) {
    const Command& command = view.commands[i];
    if (!does_something(command)) continue;
    uses.clear();
    const auto use = [&](const Range& range, bool write) {
      const CUdeviceptr begin = address_of(range);
      uses.push_back({begin, begin + range.size, write});
    };
    if (command.kind == Command::Kind::Dispatch) {
      const auto& module = static_cast<const Module&>(*command.module);
      for (uint32_t b = 0; b < command.binding_count; ++b)
        use(view.ranges[command.first_binding + b], module.writes(b));
    } else {
      if (command.kind == Command::Kind::Copy) use(command.source, false);
      use(command.destination, true);
    }
    edges[i] = hazards.add(i, uses);
    // Commands of one level are independent, whatever their ranges say.
    std::erase_if(edges[i], [&](uint32_t other) { return view.commands[other].level == command.level; });
  }
  return edges;
}

}  // namespace vd::cuda
