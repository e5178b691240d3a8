typedef long long i64;
typedef unsigned int uint;
typedef unsigned long long u64;
struct __align__(16) f32x4 {
    float x, y, z, w;
    f32x4() = default;
    __device__ f32x4(float x, float y, float z, float w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit f32x4(float s) : x(s), y(s), z(s), w(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
__shared__ __align__(16) float row[4];

extern "C" __global__ void __launch_bounds__(4) vkdispatch_main(float* x, f32x4* v) {
    const u64 t0 = u64(threadIdx.x);
    const i64 t1 = i64(threadIdx.x);
    row[t0] = x[t0 + 8ull];
    __syncthreads();
    float a_0 = 0.0f;
    float a_1 = 0.0f;
    float a_2 = 0.0f;
    float a_3 = 0.0f;
    const float t2 = row[t1];
    a_2 = t2;
    v[t1][t0] = t2;
    x[0ull] = v[9ll].w;
}
