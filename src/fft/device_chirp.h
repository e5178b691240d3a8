// The constants of a long chirp, computed by the device: in double precision where it has that.
#pragma once

#include "fft/table.h"
#include "runtime/buffer.h"
#include "runtime/context.h"

namespace vd::fft {

// Has the device's first queue write them to the buffer, as complex numbers of `scalar`. Does not wait for it.
void write_chirp(vd_context& context, vd_buffer& constants, const DeviceChirp& chirp, ir::Scalar scalar);

}  // namespace vd::fft
