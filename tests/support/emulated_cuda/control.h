// Controls of the emulated driver for tests, exported beside the driver's entry points. Environment variables control
// more: VD_EMULATED_DRIVER=11040 its version, VD_EMULATED_DEVICES=0 the number of its devices, VD_EMULATED_NVRTC=12.3
// the version of the emulated NVRTC, VD_EMULATED_BUILTINS=0 removes half of NVRTC,
// VD_EMULATED_NVRTC_FAIL=nvrtcVersion:11 the first call of NVRTC that fails; VD_EMULATED_NAME,
// VD_EMULATED_MULTIPROCESSORS and VD_EMULATED_ARCHITECTURE=89 the properties of its devices; VD_EMULATED_SPILLS=256:64,128:8
// the bytes that kernels spill whose workgroups have so many invocations.
#pragma once

#include <cstdint>

extern "C" {
// The nth call (1 is the next) of "cuMemAlloc" and so on fails with a code of the driver's. 0 stops that.
// The environment's VD_EMULATED_FAIL="cuMemAlloc:1:2" does the same from the start.
void vd_emulated_fail(const char* call, unsigned nth, int code);
// The next kernel that runs ends its context with this code, as one that touched what it may not.
void vd_emulated_break_next_kernel(int code);
// The number of calls of an entry point; of all for NULL.
uint64_t vd_emulated_calls(const char* call);
// The number of handles and allocations that have not been freed.
uint64_t vd_emulated_live();
// The number of times that a caller waited because a stream had no room for more work.
uint64_t vd_emulated_held_back();
// Sleep up to this many microseconds before each task of a stream.
void vd_emulated_delay(unsigned microseconds);
// Nanoseconds between two values of the devices' timer, 32 from the start, and by how many millionths it is faster than the
// host's clock. 0 nanoseconds: it stands still. UINT64_MAX: kernels that read it are held until there is another number.
void vd_emulated_timer(uint64_t step, uint64_t fast);
// Bytes of memory of each device.
void vd_emulated_memory(uint64_t bytes);
// Each call of this entry point takes so much longer.
void vd_emulated_slow(const char* call, unsigned milliseconds);
// The compute mode of each device, as CUDA numbers them, and the 16 bytes of a device's UUID; zeros: its usual one.
void vd_emulated_compute_mode(int mode);
void vd_emulated_uuid(int device, const uint8_t* bytes);
// The number of users of a device's primary context.
unsigned vd_emulated_references(int device);
// Makes the next call of this NVRTC entry point fail with a code of NVRTC's. NULL: none fails.
void vd_emulated_nvrtc_fail(const char* call, int code);
}
