typedef unsigned int uint;
struct __align__(16) f32x4 {
    float x, y, z, w;
    f32x4() = default;
    __device__ f32x4(float x, float y, float z, float w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit f32x4(float s) : x(s), y(s), z(s), w(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
__device__ inline f32x4 operator*(f32x4 a, f32x4 b) { return f32x4((a.x * b.x), (a.y * b.y), (a.z * b.z), (a.w * b.w)); }
struct __align__(8) f32x2 {
    float x, y;
    f32x2() = default;
    __device__ f32x2(float x, float y) : x(x), y(y) {}
    __device__ explicit f32x2(float s) : x(s), y(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
struct __align__(16) u32x4 {
    uint x, y, z, w;
    u32x4() = default;
    __device__ u32x4(uint x, uint y, uint z, uint w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit u32x4(uint s) : x(s), y(s), z(s), w(s) {}
    __device__ uint& operator[](uint i) { return (&x)[i]; }
    __device__ uint operator[](uint i) const { return (&x)[i]; }
};
template <class T> __device__ inline T vd_load_streaming(const T* p) {
    if (sizeof(T) == 16) { const uint4 v = __ldcs((const uint4*)p); return *(const T*)&v; }
    if (sizeof(T) == 8) { const uint2 v = __ldcs((const uint2*)p); return *(const T*)&v; }
    if (sizeof(T) == 4) { const unsigned int v = __ldcs((const unsigned int*)p); return *(const T*)&v; }
    return *p;
}
template <class T> __device__ inline void vd_store_streaming(T* p, T v) {
    if (sizeof(T) == 16) __stcs((uint4*)p, *(const uint4*)&v);
    else if (sizeof(T) == 8) __stcs((uint2*)p, *(const uint2*)&v);
    else if (sizeof(T) == 4) __stcs((unsigned int*)p, *(const unsigned int*)&v);
    else *p = v;
}
__shared__ __align__(16) float tile[256];

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(float* x, float* y) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const uint t0 = global_id_x * 4u;
    const f32x4 t1 = vd_load_streaming(&*(f32x4*)&x[t0]);
    vd_store_streaming(&*(f32x4*)&y[t0], t1 * t1);
    const uint t2 = t0 + 1u;
    const f32x2 t3 = f32x2(x[t2], x[t2 + 1]);
    y[t2] = t3.x;
    y[t2 + 1] = t3.y;
    tile[threadIdx.x] = *(volatile float*)&x[global_id_x];
    __syncthreads();
    y[0u] = (*(f32x4*)&tile[8u]).w;
    const f32x2 t4 = ((f32x2*)x)[0u];
    const f32x2 t5 = ((f32x2*)x)[global_id_x];
    ((f32x2*)x)[global_id_x] = f32x2(t5.x + t4.x, t5.y + t4.y);
    y[5u] = __uint_as_float(((u32x4*)y)[1u].z);
}
