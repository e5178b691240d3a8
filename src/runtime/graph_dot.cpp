// A graph in Graphviz's language.
#include <fmt/format.h>

#include <iterator>

#include "runtime/graph.h"

using namespace vd;

namespace {

// Between quotes.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + '"';
}

}  // namespace

std::string vd_graph::node_text(uint32_t n) const {
  const Node& node = nodes_[n];
  const auto bytes = [&] { return held_[node.first_bound].span.end - held_[node.first_bound].span.begin; };
  std::string what;
  if (node.call) {
    what = "call";
  } else if (node.plan) {
    const auto& [x, y, z] = node.extent.workgroups;
    what = fmt::format("{}\n{}{} x {} x {} workgroups", node.plan->name(), node.counted ? "at most " : "", x, y, z);
  } else {
    what = node.kind == Kind::Fill   ? fmt::format("fill {} bytes", bytes())
           : node.kind == Kind::Copy ? fmt::format("copy {} bytes", bytes())
                                     : std::string("copy texels");
  }
  return node.label.empty() ? fmt::format("{}: {}", n, what) : fmt::format("{}: {}\n{}", n, node.label, what);
}

// The first memory that two nodes are ordered for; none for nodes with a call between them.
std::string vd_graph::edge_text(uint32_t before, uint32_t after) const {
  const auto uses = [&](uint32_t n) { return std::span(held_.data() + nodes_[n].first_bound, nodes_[n].bound_count); };
  for (const Held& a : uses(before)) {
    for (const Held& b : uses(after)) {
      if (!a.ordered || !b.ordered || !(a.write || b.write)) continue;
      if (a.buffer->same_memory(*b.buffer) && a.buffer->placed(a.span).overlaps(b.buffer->placed(b.span)))
        return b.buffer->name();
    }
  }
  return {};
}

std::string vd_graph::dot() const {
  const runtime::NodeOrder order = this->order();
  std::string text = fmt::format("digraph {} {{\n  node [shape=box];\n", quoted(label_.empty() ? "graph" : label_));
  const auto out = std::back_inserter(text);
  std::vector<std::vector<uint32_t>> levels(order.level_count());
  for (uint32_t n = 0; n < node_count(); ++n) levels[order.level(n)].push_back(n);
  for (size_t level = 0; level < levels.size(); ++level) {
    fmt::format_to(out, "  {{ rank=same; // level {}\n", level);
    for (const uint32_t n : levels[level]) fmt::format_to(out, "    n{} [label={}];\n", n, quoted(node_text(n)));
    text += "  }\n";
  }
  for (uint32_t n = 0; n < node_count(); ++n) {
    for (const uint32_t before : order.edges(n)) {
      const std::string why = edge_text(before, n);
      fmt::format_to(out, "  n{} -> n{}{};\n", before, n, why.empty() ? "" : fmt::format(" [label={}]", quoted(why)));
    }
  }
  return text + "}\n";
}
