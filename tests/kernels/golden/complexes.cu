typedef unsigned int uint;
struct __align__(8) f32x2 {
    float x, y;
    f32x2() = default;
    __device__ f32x2(float x, float y) : x(x), y(y) {}
    __device__ explicit f32x2(float s) : x(s), y(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(f32x2* x, float* f) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const f32x2 t0 = x[global_id_x];
    const f32x2 t1 = x[1u];
    x[global_id_x] = f32x2(t0.x + t1.x - -t0.y, t0.y + t1.y - -t1.x);
    x[3u].y = f[global_id_x];
    f[1u] = x[global_id_x >> 1u][global_id_x & 1u];
    f[2u] = float(t0.x == t1.x && t0.y == t1.y);
    x[4u] = f32x2(1.0f, 0.0f);
    x[5u] = f32x2(0.0f, 0.0f);
}
