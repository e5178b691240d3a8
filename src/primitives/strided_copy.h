// Copies of elements that lie with gaps, on either side, by a kernel of ours.
#pragma once

#include "runtime/buffer.h"

namespace vd::primitives {

// Throws as the entry vd_buffer_copy_strided() documents.
vd_ticket copy_strided(vd_buffer& source, vd_buffer& destination, const vd_strided_copy_desc& desc, uint32_t queue,
                       const runtime::Waits& waits);

}  // namespace vd::primitives
