typedef unsigned int uint;
struct __align__(16) f32x4 {
    float x, y, z, w;
    f32x4() = default;
    __device__ f32x4(float x, float y, float z, float w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit f32x4(float s) : x(s), y(s), z(s), w(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(float* x, f32x4* v) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const float t0 = x[global_id_x];
    const float t1 = x[global_id_x + 1u];
    x[global_id_x] = __fadd_rn(__fmul_rn(t0, t1), t0);
    x[1u] = __fmul_rn(t0, t0) - t1;
    const f32x4 t2 = v[1u];
    const f32x4 t3 = v[0u];
    const f32x4 t4 = v[global_id_x];
    const f32x4 t5 = f32x4(__fadd_rn(__fmul_rn(t4.x, t3.x), t2.x), __fadd_rn(__fmul_rn(t4.y, t3.y), t2.y), __fadd_rn(__fmul_rn(t4.z, t3.z), t2.z), __fadd_rn(__fmul_rn(t4.w, t3.w), t2.w));
    v[global_id_x] = t5;
    x[2u] = __fdiv_rn(t0, __fsqrt_rn(t1));
    x[3u] = fmaf(t0, t1, rsqrtf(t1));
}
