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
struct f32x3 {
    float x, y, z;
    f32x3() = default;
    __device__ f32x3(float x, float y, float z) : x(x), y(y), z(z) {}
    __device__ explicit f32x3(float s) : x(s), y(s), z(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
__device__ inline float vd_exp2(float x) {
    const float t0 = fmaxf(fminf(x, 130.0f), -160.0f);
    const float t1 = rintf(t0);
    const float t2 = __fsub_rn(t0, t1);
    const float t3 = __fadd_rn(__fmul_rn(__fadd_rn(__fmul_rn(__fadd_rn(__fmul_rn(__fadd_rn(__fmul_rn(t2, 1.5313197e-05f), 0.00015468214f), t2), 0.0013333444f), t2), 0.009618034f), t2), 0.05550411f);
    const float t4 = rintf(__fmul_rn(t1, 0.5f));
    const float t5 = __fadd_rn(__fadd_rn(__fmul_rn(t2, 0.6931472f), __fadd_rn(__fmul_rn(t2, -1.9046542e-09f), __fmul_rn(__fmul_rn(t2, t2), __fadd_rn(__fmul_rn(t3, t2), 0.2402265f)))), 1.0f);
    const float t6 = (__float_as_uint(x) & 2147483647u) > 2139095040u ? x : __fmul_rn(__fmul_rn(t5, __uint_as_float((uint(__float2int_rz(t4)) + 127u) << 23u)), __uint_as_float((uint(__float2int_rz(__fsub_rn(t1, t4))) + 127u) << 23u));
    return t6;
}

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(float* x, f32x3* v, half* h) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const float t0 = x[global_id_x];
    x[100u] = expf(t0);
    x[101u] = vd_exp2(t0);
    x[102u] = logf(t0);
    x[103u] = log2f(t0);
    x[104u] = sinf(t0);
    x[105u] = cosf(t0);
    x[106u] = tanf(t0);
    x[107u] = asinf(t0);
    x[108u] = acosf(t0);
    x[109u] = atanf(t0);
    x[110u] = sinhf(t0);
    x[111u] = coshf(t0);
    x[112u] = tanhf(t0);
    x[113u] = asinhf(t0);
    x[114u] = acoshf(t0);
    x[115u] = atanhf(t0);
    x[116u] = powf(t0, 1.5f);
    x[117u] = atan2f(t0, 1.5f);
    const f32x3 t1 = v[global_id_x];
    v[global_id_x] = f32x3(sinf(t1.x), sinf(t1.y), sinf(t1.z));
    h[global_id_x] = vd_to_half(expf(vd_to_float(h[global_id_x])));
}
