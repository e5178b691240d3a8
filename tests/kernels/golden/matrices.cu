typedef unsigned int uint;
struct f32x3 {
    float x, y, z;
    f32x3() = default;
    __device__ f32x3(float x, float y, float z) : x(x), y(y), z(z) {}
    __device__ explicit f32x3(float s) : x(s), y(s), z(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
__device__ inline f32x3 operator+(f32x3 a, f32x3 b) { return f32x3((a.x + b.x), (a.y + b.y), (a.z + b.z)); }
struct __align__(8) f32x2 {
    float x, y;
    f32x2() = default;
    __device__ f32x2(float x, float y) : x(x), y(y) {}
    __device__ explicit f32x2(float s) : x(s), y(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
struct f32x2_packed {
    float x, y;
    f32x2_packed() = default;
    __device__ f32x2_packed(float x, float y) : x(x), y(y) {}
    __device__ explicit f32x2_packed(float s) : x(s), y(s) {}
    __device__ f32x2_packed(f32x2 v) : x(v.x), y(v.y) {}
    __device__ operator f32x2() const { return f32x2(x, y); }
    __device__ float& operator[](uint i) { return (&x)[i]; }
};
struct f32m3x3 {
    f32x3 c[3];
    f32m3x3() = default;
    __device__ f32m3x3(f32x3 c0, f32x3 c1, f32x3 c2) : c{c0, c1, c2} {}
};
struct f32m2x2 {
    f32x2 c[2];
    f32m2x2() = default;
    __device__ f32m2x2(f32x2 c0, f32x2 c1) : c{c0, c1} {}
};
struct f32m2x2_packed {
    f32x2_packed c[2];
    f32m2x2_packed() = default;
    __device__ f32m2x2_packed(f32m2x2 m) { for (int i = 0; i < 2; ++i) c[i] = m.c[i]; }
    __device__ operator f32m2x2() const { f32m2x2 m; for (int i = 0; i < 2; ++i) m.c[i] = c[i]; return m; }
};
struct Block_values {
    f32m2x2_packed k;
};
__shared__ __align__(16) f32m3x3 tile[4];

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(f32m3x3* x, f32x3* y, const Block_values values) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const f32m3x3 t0 = x[global_id_x];
    const f32m3x3 t1 = x[1u];
    const f32x3 t2 = t0.c[2];
    x[global_id_x] = f32m3x3(t0.c[0] + t1.c[0], t0.c[1] + t1.c[1], t2 + t1.c[2]);
    y[global_id_x] = t2;
    y[1u] = x[2u].c[0u];
    x[global_id_x].c[1u].z = values.k.c[1].x;
    f32m3x3 acc = f32m3x3(f32x3(0.0f, 0.0f, 0.0f), f32x3(0.0f, 0.0f, 0.0f), f32x3(0.0f, 0.0f, 0.0f));
    acc = f32m3x3(f32x3(1.0f, 0.0f, 0.0f), f32x3(0.0f, 1.0f, 0.0f), f32x3(0.0f, 0.0f, 1.0f));
    acc.c[0u].x = 3.0f;
    tile[threadIdx.x] = acc;
    __syncthreads();
    x[3u] = tile[0u];
}
