// Copies of elements that lie with gaps, on either side, by a kernel of ours.
#pragma once

#include "runtime/buffer.h"
#include "runtime/graph.h"

namespace vd::primitives {

// Throws as the entry vd_buffer_copy_strided() documents.
vd_ticket copy_strided(vd_buffer& source, vd_buffer& destination, const vd_strided_copy_desc& desc, uint32_t queue,
                       const runtime::Waits& waits);
// The same as a node, whose arguments are the two ranges from the first byte to the last.
uint32_t record_strided(vd_graph& graph, vd_buffer& source, vd_buffer& destination, const vd_strided_copy_desc& desc);

}  // namespace vd::primitives
