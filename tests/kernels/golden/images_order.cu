typedef unsigned int uint;
typedef unsigned long long u64;
struct __align__(16) u32x4 {
    uint x, y, z, w;
    u32x4() = default;
    __device__ u32x4(uint x, uint y, uint z, uint w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit u32x4(uint s) : x(s), y(s), z(s), w(s) {}
    __device__ uint& operator[](uint i) { return (&x)[i]; }
    __device__ uint operator[](uint i) const { return (&x)[i]; }
};
__device__ inline u32x4 operator+(u32x4 a, u32x4 b) { return u32x4(uint(a.x + b.x), uint(a.y + b.y), uint(a.z + b.z), uint(a.w + b.w)); }
struct vd_storage_image {
    u64 surface;
    int width, height, depth;
};
__device__ inline u32x4 image_load(const vd_storage_image& image, uint at) {
    if (uint(at) >= uint(image.width)) return u32x4(0u);
    const uint t = surf1Dread<uint>(image.surface, int(at) * 4, cudaBoundaryModeZero);
    return u32x4(uint(t), 0u, 0u, 1u);
}
__device__ inline void image_store(const vd_storage_image& image, uint at, u32x4 t) {
    if (uint(at) >= uint(image.width)) return;
    surf1Dwrite(t.x, image.surface, int(at) * 4, cudaBoundaryModeZero);
}

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(const vd_storage_image image, u32x4* out) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const u32x4 t0 = image_load(image, global_id_x);
    image_store(image, global_id_x, t0 + t0);
    const u32x4 t1 = image_load(image, threadIdx.x);
    __syncthreads();
    const u32x4 t2 = image_load(image, threadIdx.x);
    image_store(image, 3u, u32x4(0u));
    out[global_id_x] = t1 + t2;
}
