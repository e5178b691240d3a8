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
struct __align__(4) f16x2 {
    half x, y;
    f16x2() = default;
    __device__ constexpr f16x2(half x, half y) : x(x), y(y) {}
    __device__ constexpr explicit f16x2(half s) : x(s), y(s) {}
    __device__ half& operator[](uint i) { return (&x)[i]; }
    __device__ half operator[](uint i) const { return (&x)[i]; }
};
struct __align__(8) f32x2 {
    float x, y;
    f32x2() = default;
    __device__ constexpr f32x2(float x, float y) : x(x), y(y) {}
    __device__ constexpr explicit f32x2(float s) : x(s), y(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
struct f32m2x2 {
    f32x2 c[2];
    f32m2x2() = default;
    __device__ constexpr f32m2x2(f32x2 c0, f32x2 c1) : c{c0, c1} {}
};
__constant__ const f32x2 table[3] = {f32x2(1.0f, 0.0f), f32x2(0.5f, -0.5f), f32x2(0.0f, -1.0f)};
__constant__ const f16x2 table_1[2] = {f16x2(vd_half(0x3c00), vd_half(0x4000)), f16x2(vd_half(0x4200), vd_half(0x4400))};
__constant__ const f32m2x2 table_2[2] = {f32m2x2(f32x2(1.0f, 2.0f), f32x2(3.0f, 4.0f)), f32m2x2(f32x2(5.0f, 6.0f), f32x2(7.0f, 8.0f))};

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(f32x2* z, f16x2* h, float* x) {
    z[threadIdx.x] = table[threadIdx.x];
    h[threadIdx.x] = table_1[threadIdx.x];
    x[threadIdx.x] = table_2[threadIdx.x].c[1].x;
}
