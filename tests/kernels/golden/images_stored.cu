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
__device__ inline f32x4 operator+(f32x4 a, f32x4 b) { return f32x4((a.x + b.x), (a.y + b.y), (a.z + b.z), (a.w + b.w)); }
struct __align__(8) u32x2 {
    uint x, y;
    u32x2() = default;
    __device__ u32x2(uint x, uint y) : x(x), y(y) {}
    __device__ explicit u32x2(uint s) : x(s), y(s) {}
    __device__ uint& operator[](uint i) { return (&x)[i]; }
    __device__ uint operator[](uint i) const { return (&x)[i]; }
};
struct __align__(8) i32x2 {
    int x, y;
    i32x2() = default;
    __device__ i32x2(int x, int y) : x(x), y(y) {}
    __device__ explicit i32x2(int s) : x(s), y(s) {}
    __device__ int& operator[](uint i) { return (&x)[i]; }
    __device__ int operator[](uint i) const { return (&x)[i]; }
};
struct u32x3 {
    uint x, y, z;
    u32x3() = default;
    __device__ u32x3(uint x, uint y, uint z) : x(x), y(y), z(z) {}
    __device__ explicit u32x3(uint s) : x(s), y(s), z(s) {}
    __device__ uint& operator[](uint i) { return (&x)[i]; }
    __device__ uint operator[](uint i) const { return (&x)[i]; }
};
struct i32x3 {
    int x, y, z;
    i32x3() = default;
    __device__ i32x3(int x, int y, int z) : x(x), y(y), z(z) {}
    __device__ explicit i32x3(int s) : x(s), y(s), z(s) {}
    __device__ int& operator[](uint i) { return (&x)[i]; }
    __device__ int operator[](uint i) const { return (&x)[i]; }
};
struct __align__(16) i32x4 {
    int x, y, z, w;
    i32x4() = default;
    __device__ i32x4(int x, int y, int z, int w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit i32x4(int s) : x(s), y(s), z(s), w(s) {}
    __device__ int& operator[](uint i) { return (&x)[i]; }
    __device__ int operator[](uint i) const { return (&x)[i]; }
};
struct i32x4_packed {
    int x, y, z, w;
    i32x4_packed() = default;
    __device__ i32x4_packed(int x, int y, int z, int w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit i32x4_packed(int s) : x(s), y(s), z(s), w(s) {}
    __device__ i32x4_packed(i32x4 v) : x(v.x), y(v.y), z(v.z), w(v.w) {}
    __device__ operator i32x4() const { return i32x4(x, y, z, w); }
    __device__ int& operator[](uint i) { return (&x)[i]; }
};
struct vd_storage_image {
    u64 surface;
    int width, height, depth;
};
__device__ inline f32x4 image_load(const vd_storage_image& image, uint at) {
    if (uint(at) >= uint(image.width)) return f32x4(0.0f);
    const uint t = surf1Dread<uint>(image.surface, int(at) * 4, cudaBoundaryModeZero);
    return f32x4(__uint_as_float(t), 0.0f, 0.0f, 1.0f);
}
__device__ inline void image_store(const vd_storage_image& image, int at, f32x4 t) {
    if (uint(at) >= uint(image.width)) return;
    surf1Dwrite(__float_as_uint(t.x), image.surface, int(at) * 4, cudaBoundaryModeZero);
}
__device__ inline f32x4 image_1_load(const vd_storage_image& image, u32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.depth)) return f32x4(0.0f);
    const uint t = surf1DLayeredread<uint>(image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
    return f32x4(__uint_as_float(t), 0.0f, 0.0f, 1.0f);
}
__device__ inline void image_1_store(const vd_storage_image& image, i32x2 at, f32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.depth)) return;
    surf1DLayeredwrite(__float_as_uint(t.x), image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
}
__device__ inline f32x4 image_2_load(const vd_storage_image& image, u32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return f32x4(0.0f);
    const uint t = surf2Dread<uint>(image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
    return f32x4(__uint_as_float(t), 0.0f, 0.0f, 1.0f);
}
__device__ inline void image_2_store(const vd_storage_image& image, i32x2 at, f32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(__float_as_uint(t.x), image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
}
__device__ inline f32x4 image_3_load(const vd_storage_image& image, u32x3 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height) || uint(at.z) >= uint(image.depth)) return f32x4(0.0f);
    const uint t = surf2DLayeredread<uint>(image.surface, int(at.x) * 4, int(at.y), int(at.z), cudaBoundaryModeZero);
    return f32x4(__uint_as_float(t), 0.0f, 0.0f, 1.0f);
}
__device__ inline void image_3_store(const vd_storage_image& image, i32x3 at, f32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height) || uint(at.z) >= uint(image.depth)) return;
    surf2DLayeredwrite(__float_as_uint(t.x), image.surface, int(at.x) * 4, int(at.y), int(at.z), cudaBoundaryModeZero);
}
__device__ inline f32x4 image_4_load(const vd_storage_image& image, u32x3 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height) || uint(at.z) >= uint(image.depth)) return f32x4(0.0f);
    const uint t = surf3Dread<uint>(image.surface, int(at.x) * 4, int(at.y), int(at.z), cudaBoundaryModeZero);
    return f32x4(__uint_as_float(t), 0.0f, 0.0f, 1.0f);
}
__device__ inline void image_4_store(const vd_storage_image& image, i32x3 at, f32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height) || uint(at.z) >= uint(image.depth)) return;
    surf3Dwrite(__float_as_uint(t.x), image.surface, int(at.x) * 4, int(at.y), int(at.z), cudaBoundaryModeZero);
}
struct Block_values {
    i32x4_packed image_shape;
    i32x4_packed image_1_shape;
    i32x4_packed image_2_shape;
    i32x4_packed image_3_shape;
    i32x4_packed image_4_shape;
};

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(const vd_storage_image image, const vd_storage_image image_1, const vd_storage_image image_2, const vd_storage_image image_3, const vd_storage_image image_4, const Block_values values) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const uint global_id_y = blockIdx.y * 1u + threadIdx.y;
    const uint global_id_z = blockIdx.z * 1u + threadIdx.z;
    const int t0 = int(global_id_x);
    image_store(image, t0, image_load(image, global_id_x) + f32x4(float(values.image_shape.x), float(values.image_shape.y), float(values.image_shape.z), float(values.image_shape.w)));
    const u32x2 t1 = u32x2(global_id_x, global_id_y);
    const int t2 = int(global_id_y);
    const i32x2 t3 = i32x2(t0, t2);
    image_1_store(image_1, t3, image_1_load(image_1, t1) + f32x4(float(values.image_1_shape.x), float(values.image_1_shape.y), float(values.image_1_shape.z), float(values.image_1_shape.w)));
    image_2_store(image_2, t3, image_2_load(image_2, t1) + f32x4(float(values.image_2_shape.x), float(values.image_2_shape.y), float(values.image_2_shape.z), float(values.image_2_shape.w)));
    const u32x3 t4 = u32x3(global_id_x, global_id_y, global_id_z);
    const i32x3 t5 = i32x3(t0, t2, int(global_id_z));
    image_3_store(image_3, t5, image_3_load(image_3, t4) + f32x4(float(values.image_3_shape.x), float(values.image_3_shape.y), float(values.image_3_shape.z), float(values.image_3_shape.w)));
    image_4_store(image_4, t5, image_4_load(image_4, t4) + f32x4(float(values.image_4_shape.x), float(values.image_4_shape.y), float(values.image_4_shape.z), float(values.image_4_shape.w)));
}
