typedef unsigned int uint;
struct half {
    unsigned short bits;
    half() = default;
    template <int = 0> __device__ half(const volatile half& h) : bits(h.bits) {}
    template <int = 0> __device__ void operator=(half h) volatile { bits = h.bits; }
};
__device__ constexpr half vd_half(unsigned short bits) { half h{}; h.bits = bits; return h; }
__device__ inline float vd_to_float(half a) { float r; asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(a.bits)); return r; }
__device__ inline half vd_to_half(float a) { half r; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.bits) : "f"(a)); return r; }
__device__ inline half vd_to_half(double a) { half r; asm("cvt.rn.f16.f64 %0, %1;" : "=h"(r.bits) : "d"(a)); return r; }
__device__ inline half operator+(half a, half b) { half r; asm("add.rn.f16 %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits)); return r; }
__device__ inline half operator-(half a, half b) { half r; asm("sub.rn.f16 %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits)); return r; }
__device__ inline half operator*(half a, half b) { half r; asm("mul.rn.f16 %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits)); return r; }
__device__ inline half operator-(half a) { a.bits ^= 0x8000; return a; }
__device__ inline half vd_fma(half a, half b, half c) { half r; asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits)); return r; }
struct __align__(8) f16x4 {
    half x, y, z, w;
    f16x4() = default;
    __device__ f16x4(half x, half y, half z, half w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit f16x4(half s) : x(s), y(s), z(s), w(s) {}
    __device__ half& operator[](uint i) { return (&x)[i]; }
    __device__ half operator[](uint i) const { return (&x)[i]; }
};
__device__ inline f16x4 operator*(f16x4 a, f16x4 b) { return f16x4((a.x * b.x), (a.y * b.y), (a.z * b.z), (a.w * b.w)); }
__device__ inline f16x4 operator-(f16x4 a) { return f16x4((-a.x), (-a.y), (-a.z), (-a.w)); }

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(half* x, f16x4* y, float* z) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const half t0 = x[global_id_x];
    const f16x4 t1 = y[global_id_x];
    x[global_id_x] = t0 * t0 + vd_half(0x3800);
    x[1u] = vd_to_half(vd_to_float(t0) / vd_to_float(vd_to_half(sqrtf(vd_to_float(t0)))));
    x[2u] = vd_to_half(z[global_id_x]);
    x[3u] = vd_to_float(t0) < 1.0f ? vd_to_half(float(global_id_x)) : vd_half(0x7c00);
    const f16x4 t2 = -t1;
    const f16x4 t3 = t1 * t1;
    const f16x4 t4 = f16x4(vd_to_half(fmaxf(vd_to_float(t3.x), vd_to_float(t2.x))), vd_to_half(fmaxf(vd_to_float(t3.y), vd_to_float(t2.y))), vd_to_half(fmaxf(vd_to_float(t3.z), vd_to_float(t2.z))), vd_to_half(fmaxf(vd_to_float(t3.w), vd_to_float(t2.w))));
    y[global_id_x] = t4;
    z[global_id_x] = vd_to_float(t0);
    z[1u] = float(__float2int_rz(vd_to_float(t0)));
}
