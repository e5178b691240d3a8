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
__device__ inline f32x3 operator*(f32x3 a, f32x3 b) { return f32x3((a.x * b.x), (a.y * b.y), (a.z * b.z)); }
struct __align__(16) f32x4 {
    float x, y, z, w;
    f32x4() = default;
    __device__ f32x4(float x, float y, float z, float w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit f32x4(float s) : x(s), y(s), z(s), w(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
struct boolx3 {
    bool x, y, z;
    boolx3() = default;
    __device__ boolx3(bool x, bool y, bool z) : x(x), y(y), z(z) {}
    __device__ explicit boolx3(bool s) : x(s), y(s), z(s) {}
    __device__ bool& operator[](uint i) { return (&x)[i]; }
    __device__ bool operator[](uint i) const { return (&x)[i]; }
};
struct u32x3 {
    uint x, y, z;
    u32x3() = default;
    __device__ u32x3(uint x, uint y, uint z) : x(x), y(y), z(z) {}
    __device__ explicit u32x3(uint s) : x(s), y(s), z(s) {}
    __device__ uint& operator[](uint i) { return (&x)[i]; }
    __device__ uint operator[](uint i) const { return (&x)[i]; }
};
__device__ inline u32x3 operator&(u32x3 a, u32x3 b) { return u32x3(uint(a.x & b.x), uint(a.y & b.y), uint(a.z & b.z)); }
struct Block_values {
    f32x3 k;
};

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(f32x3* p, f32x4* q, u32x3* m, const f32x3* only_read, const Block_values values) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const uint global_id_y = blockIdx.y * 1u + threadIdx.y;
    const uint global_id_z = blockIdx.z * 1u + threadIdx.z;
    const f32x3 t0 = p[global_id_x];
    p[global_id_x] = t0 * values.k + f32x3(2.0f);
    q[global_id_x] = f32x4(t0.z, t0.y, t0.x, t0.x);
    q[global_id_x].w = values.k.y;
    p[global_id_x].z = p[0u].y;
    p[global_id_x][threadIdx.x] = t0.x;
    const bool t1 = t0.x < values.k.x;
    const bool t2 = t0.y < values.k.y;
    const bool t3 = t0.z < values.k.z;
    p[1u] = f32x3(t1 ? t0.x : floorf(t0.x), t2 ? t0.y : floorf(t0.y), t3 ? t0.z : floorf(t0.z));
    const boolx3 t4 = boolx3(t1 && t0.x != t0.x, t2 && t0.y != t0.y, t3 && t0.z != t0.z);
    if (t4.x || t4.y || t4.z) {
        const u32x3 t5 = u32x3(threadIdx.x) & u32x3(31u);
        m[global_id_x] = u32x3(__float2uint_rz(t0.x) << t5.x, __float2uint_rz(t0.y) << t5.y, __float2uint_rz(t0.z) << t5.z);
    }
    m[1u] = u32x3(global_id_x, global_id_y, global_id_z);
    const u32x3 t6 = m[0u];
    m[2u] = u32x3(9u < t6.x ? 9u : t6.x, 9u < t6.y ? 9u : t6.y, 9u < t6.z ? 9u : t6.z);
    p[2u].x = only_read[global_id_x][threadIdx.x];
}
