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
struct __align__(8) f32x2 {
    float x, y;
    f32x2() = default;
    __device__ f32x2(float x, float y) : x(x), y(y) {}
    __device__ explicit f32x2(float s) : x(s), y(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
struct __align__(16) f32x4 {
    float x, y, z, w;
    f32x4() = default;
    __device__ f32x4(float x, float y, float z, float w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit f32x4(float s) : x(s), y(s), z(s), w(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
struct f32x3 {
    float x, y, z;
    f32x3() = default;
    __device__ f32x3(float x, float y, float z) : x(x), y(y), z(z) {}
    __device__ explicit f32x3(float s) : x(s), y(s), z(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
struct __align__(8) u32x2 {
    uint x, y;
    u32x2() = default;
    __device__ u32x2(uint x, uint y) : x(x), y(y) {}
    __device__ explicit u32x2(uint s) : x(s), y(s) {}
    __device__ uint& operator[](uint i) { return (&x)[i]; }
    __device__ uint operator[](uint i) const { return (&x)[i]; }
};
struct __align__(8) f16x4 {
    half x, y, z, w;
    f16x4() = default;
    __device__ f16x4(half x, half y, half z, half w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit f16x4(half s) : x(s), y(s), z(s), w(s) {}
    __device__ half& operator[](uint i) { return (&x)[i]; }
    __device__ half operator[](uint i) const { return (&x)[i]; }
};
struct f32m2x2 {
    f32x2 c[2];
    f32m2x2() = default;
    __device__ f32m2x2(f32x2 c0, f32x2 c1) : c{c0, c1} {}
};
__shared__ __align__(16) f32x4 tile[64];
__shared__ __align__(16) f32x2 pairs[64];

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(f32x2* p, f32x4* q, f32x2* x, f32x3* t, f32m2x2* m, u32x2* n, f16x4* h, float* f) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    p[global_id_x].y = 1.0f;
    q[global_id_x].w = q[global_id_x].z;
    q[global_id_x][threadIdx.x] = 1.0f;
    x[global_id_x].x = 1.0f;
    t[global_id_x].z = 1.0f;
    h[global_id_x].y = vd_half(0x3c00);
    m[global_id_x].c[1u] = f32x2(1.0f);
    m[global_id_x].c[1u].x = 1.0f;
    tile[threadIdx.x].z = 1.0f;
    pairs[threadIdx.x].y = 1.0f;
    ((f32x4*)f)[global_id_x].y = 1.0f;
    ((f32x2*)tile)[threadIdx.x].y = 1.0f;
    *(volatile float*)&p[global_id_x].x = *(volatile float*)&q[global_id_x].y;
    p[0u] = f32x2(*(volatile float*)&p[global_id_x].x, *(volatile float*)&p[global_id_x].y);
    *(volatile half*)&h[global_id_x].z = *(volatile half*)&h[global_id_x].w;
    const float t0 = *(volatile float*)&m[0u].c[0u].y;
    const float t1 = *(volatile float*)&m[0u].c[1u].x;
    const float t2 = *(volatile float*)&m[0u].c[1u].y;
    *(volatile float*)&m[global_id_x].c[0u].x = *(volatile float*)&m[0u].c[0u].x;
    *(volatile float*)&m[global_id_x].c[0u].y = t0;
    *(volatile float*)&m[global_id_x].c[1u].x = t1;
    *(volatile float*)&m[global_id_x].c[1u].y = t2;
    atomicAdd(&n[global_id_x].y, 3u);
    f32x4 own = q[0u];
    own.y = 1.0f;
    q[1u] = own;
}
