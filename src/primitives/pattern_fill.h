// Fills with patterns of 1 to 16 bytes as nodes of graphs: by the device where a word repeats the pattern, else by a kernel of
// ours.
#pragma once

#include "runtime/graph.h"
#include "runtime/pattern_fill.h"

namespace vd::primitives {

// Throws as the entry vd_graph_fill_pattern() documents. The node's argument is the range.
uint32_t record_fill(vd_graph& graph, vd_buffer& buffer, uint64_t offset, uint64_t size,
                     const runtime::Pattern& pattern);

}  // namespace vd::primitives
