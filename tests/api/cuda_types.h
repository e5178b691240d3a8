// CUDA's types as the emulated driver names them: to call a function by another type is undefined.
#pragma once

namespace vd::cuda {
enum CUresult : int;
enum CUstreamCaptureMode : int;
struct CUctx_st;
struct CUgraph_st;
struct CUstream_st;
}  // namespace vd::cuda
