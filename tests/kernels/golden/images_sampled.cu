typedef unsigned int uint;
typedef unsigned long long u64;
struct __align__(8) f32x2 {
    float x, y;
    f32x2() = default;
    __device__ f32x2(float x, float y) : x(x), y(y) {}
    __device__ explicit f32x2(float s) : x(s), y(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
struct __align__(8) i32x2 {
    int x, y;
    i32x2() = default;
    __device__ i32x2(int x, int y) : x(x), y(y) {}
    __device__ explicit i32x2(int s) : x(s), y(s) {}
    __device__ int& operator[](uint i) { return (&x)[i]; }
    __device__ int operator[](uint i) const { return (&x)[i]; }
};
struct __align__(8) u32x2 {
    uint x, y;
    u32x2() = default;
    __device__ u32x2(uint x, uint y) : x(x), y(y) {}
    __device__ explicit u32x2(uint s) : x(s), y(s) {}
    __device__ uint& operator[](uint i) { return (&x)[i]; }
    __device__ uint operator[](uint i) const { return (&x)[i]; }
};
struct f32x3 {
    float x, y, z;
    f32x3() = default;
    __device__ f32x3(float x, float y, float z) : x(x), y(y), z(z) {}
    __device__ explicit f32x3(float s) : x(s), y(s), z(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
struct i32x3 {
    int x, y, z;
    i32x3() = default;
    __device__ i32x3(int x, int y, int z) : x(x), y(y), z(z) {}
    __device__ explicit i32x3(int s) : x(s), y(s), z(s) {}
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
struct __align__(16) f32x4 {
    float x, y, z, w;
    f32x4() = default;
    __device__ f32x4(float x, float y, float z, float w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit f32x4(float s) : x(s), y(s), z(s), w(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
struct __align__(16) i32x4 {
    int x, y, z, w;
    i32x4() = default;
    __device__ i32x4(int x, int y, int z, int w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit i32x4(int s) : x(s), y(s), z(s), w(s) {}
    __device__ int& operator[](uint i) { return (&x)[i]; }
    __device__ int operator[](uint i) const { return (&x)[i]; }
};
struct vd_sampled_image {
    u64 texture, fetch;
    int width, height, depth, levels;
    float unit_x, unit_y, unit_z;
    uint flags;
    uint border[4];
};
__device__ inline f32x4 size_sample(const vd_sampled_image& image, float at) {
    float x = (at + 0.5f) * image.unit_x;
    if (image.flags & 8u) {
        x = fabsf(x);
    }
    float4 t = tex1DLod<float4>(image.texture, x, 0.0f);
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline f32x4 size_sample_1(const vd_sampled_image& image, float at, float level) {
    float x = (at + 0.5f) * image.unit_x;
    if (image.flags & 8u) {
        x = fabsf(x);
    }
    float4 t = tex1DLod<float4>(image.texture, x, level);
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline f32x4 size_load(const vd_sampled_image& image, int at) {
    if (uint(at) >= uint(image.width)) return f32x4(0.0f);
    const float4 t = tex1DLod<float4>(image.fetch, (float(at) + 0.5f) / float(image.width), 0.0f);
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline f32x4 size_load_1(const vd_sampled_image& image, uint at, uint level) {
    if (uint(level) >= uint(image.levels)) return f32x4(0.0f);
    if (uint(at) >= uint(max(image.width >> level, 1))) return f32x4(0.0f);
    const float4 t = tex1DLod<float4>(image.fetch, (float(at) + 0.5f) / float(max(image.width >> level, 1)), float(level));
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline i32x4 size_size(const vd_sampled_image& image) {
    return i32x4(image.width, image.height, image.depth, image.levels);
}
__device__ inline i32x4 size_size_1(const vd_sampled_image& image, int level) {
    level = max(min(level, image.levels - 1), 0);
    return i32x4(max(image.width >> level, 1), image.height, image.depth, image.levels);
}
__device__ inline f32x4 image_sample(const vd_sampled_image& image, f32x2 at) {
    float x = (at.x + 0.5f) * image.unit_x;
    if (image.flags & 8u) {
        x = fabsf(x);
    }
    const int layer = min(max(__float2int_rz(rintf(at.y)), 0), image.depth - 1);
    float4 t = tex1DLayeredLod<float4>(image.texture, x, layer, 0.0f);
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline f32x4 image_sample_1(const vd_sampled_image& image, f32x2 at, float level) {
    float x = (at.x + 0.5f) * image.unit_x;
    if (image.flags & 8u) {
        x = fabsf(x);
    }
    const int layer = min(max(__float2int_rz(rintf(at.y)), 0), image.depth - 1);
    float4 t = tex1DLayeredLod<float4>(image.texture, x, layer, level);
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline f32x4 image_load(const vd_sampled_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.depth)) return f32x4(0.0f);
    const float4 t = tex1DLayeredLod<float4>(image.fetch, (float(at.x) + 0.5f) / float(image.width), int(at.y), 0.0f);
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline f32x4 image_load_1(const vd_sampled_image& image, u32x2 at, uint level) {
    if (uint(level) >= uint(image.levels)) return f32x4(0.0f);
    if (uint(at.x) >= uint(max(image.width >> level, 1)) || uint(at.y) >= uint(image.depth)) return f32x4(0.0f);
    const float4 t = tex1DLayeredLod<float4>(image.fetch, (float(at.x) + 0.5f) / float(max(image.width >> level, 1)), int(at.y), float(level));
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline i32x4 image_size(const vd_sampled_image& image) {
    return i32x4(image.width, image.height, image.depth, image.levels);
}
__device__ inline i32x4 image_size_1(const vd_sampled_image& image, int level) {
    level = max(min(level, image.levels - 1), 0);
    return i32x4(max(image.width >> level, 1), image.height, image.depth, image.levels);
}
__device__ inline f32x4 image_1_sample(const vd_sampled_image& image, f32x2 at) {
    float x = (at.x + 0.5f) * image.unit_x;
    float y = (at.y + 0.5f) * image.unit_y;
    if (image.flags & 8u) {
        x = fabsf(x);
        y = fabsf(y);
    }
    float4 t = tex2DLod<float4>(image.texture, x, y, 0.0f);
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline f32x4 image_1_sample_1(const vd_sampled_image& image, f32x2 at, float level) {
    float x = (at.x + 0.5f) * image.unit_x;
    float y = (at.y + 0.5f) * image.unit_y;
    if (image.flags & 8u) {
        x = fabsf(x);
        y = fabsf(y);
    }
    float4 t = tex2DLod<float4>(image.texture, x, y, level);
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline f32x4 image_1_load(const vd_sampled_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return f32x4(0.0f);
    const float4 t = tex2DLod<float4>(image.fetch, (float(at.x) + 0.5f) / float(image.width), (float(at.y) + 0.5f) / float(image.height), 0.0f);
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline f32x4 image_1_load_1(const vd_sampled_image& image, u32x2 at, uint level) {
    if (uint(level) >= uint(image.levels)) return f32x4(0.0f);
    if (uint(at.x) >= uint(max(image.width >> level, 1)) || uint(at.y) >= uint(max(image.height >> level, 1))) return f32x4(0.0f);
    const float4 t = tex2DLod<float4>(image.fetch, (float(at.x) + 0.5f) / float(max(image.width >> level, 1)), (float(at.y) + 0.5f) / float(max(image.height >> level, 1)), float(level));
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline i32x4 image_1_size(const vd_sampled_image& image) {
    return i32x4(image.width, image.height, image.depth, image.levels);
}
__device__ inline i32x4 image_1_size_1(const vd_sampled_image& image, int level) {
    level = max(min(level, image.levels - 1), 0);
    return i32x4(max(image.width >> level, 1), max(image.height >> level, 1), image.depth, image.levels);
}
__device__ inline f32x4 image_2_sample(const vd_sampled_image& image, f32x3 at) {
    float x = (at.x + 0.5f) * image.unit_x;
    float y = (at.y + 0.5f) * image.unit_y;
    if (image.flags & 8u) {
        x = fabsf(x);
        y = fabsf(y);
    }
    const int layer = min(max(__float2int_rz(rintf(at.z)), 0), image.depth - 1);
    float4 t = tex2DLayeredLod<float4>(image.texture, x, y, layer, 0.0f);
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline f32x4 image_2_sample_1(const vd_sampled_image& image, f32x3 at, float level) {
    float x = (at.x + 0.5f) * image.unit_x;
    float y = (at.y + 0.5f) * image.unit_y;
    if (image.flags & 8u) {
        x = fabsf(x);
        y = fabsf(y);
    }
    const int layer = min(max(__float2int_rz(rintf(at.z)), 0), image.depth - 1);
    float4 t = tex2DLayeredLod<float4>(image.texture, x, y, layer, level);
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline f32x4 image_2_load(const vd_sampled_image& image, i32x3 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height) || uint(at.z) >= uint(image.depth)) return f32x4(0.0f);
    const float4 t = tex2DLayeredLod<float4>(image.fetch, (float(at.x) + 0.5f) / float(image.width), (float(at.y) + 0.5f) / float(image.height), int(at.z), 0.0f);
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline f32x4 image_2_load_1(const vd_sampled_image& image, u32x3 at, uint level) {
    if (uint(level) >= uint(image.levels)) return f32x4(0.0f);
    if (uint(at.x) >= uint(max(image.width >> level, 1)) || uint(at.y) >= uint(max(image.height >> level, 1)) || uint(at.z) >= uint(image.depth)) return f32x4(0.0f);
    const float4 t = tex2DLayeredLod<float4>(image.fetch, (float(at.x) + 0.5f) / float(max(image.width >> level, 1)), (float(at.y) + 0.5f) / float(max(image.height >> level, 1)), int(at.z), float(level));
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline i32x4 image_2_size(const vd_sampled_image& image) {
    return i32x4(image.width, image.height, image.depth, image.levels);
}
__device__ inline i32x4 image_2_size_1(const vd_sampled_image& image, int level) {
    level = max(min(level, image.levels - 1), 0);
    return i32x4(max(image.width >> level, 1), max(image.height >> level, 1), image.depth, image.levels);
}
__device__ inline f32x4 image_3_sample(const vd_sampled_image& image, f32x3 at) {
    float x = (at.x + 0.5f) * image.unit_x;
    float y = (at.y + 0.5f) * image.unit_y;
    float z = (at.z + 0.5f) * image.unit_z;
    if (image.flags & 8u) {
        x = fabsf(x);
        y = fabsf(y);
        z = fabsf(z);
    }
    float4 t = tex3DLod<float4>(image.texture, x, y, z, 0.0f);
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline f32x4 image_3_sample_1(const vd_sampled_image& image, f32x3 at, float level) {
    float x = (at.x + 0.5f) * image.unit_x;
    float y = (at.y + 0.5f) * image.unit_y;
    float z = (at.z + 0.5f) * image.unit_z;
    if (image.flags & 8u) {
        x = fabsf(x);
        y = fabsf(y);
        z = fabsf(z);
    }
    float4 t = tex3DLod<float4>(image.texture, x, y, z, level);
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline f32x4 image_3_load(const vd_sampled_image& image, i32x3 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height) || uint(at.z) >= uint(image.depth)) return f32x4(0.0f);
    const float4 t = tex3DLod<float4>(image.fetch, (float(at.x) + 0.5f) / float(image.width), (float(at.y) + 0.5f) / float(image.height), (float(at.z) + 0.5f) / float(image.depth), 0.0f);
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline f32x4 image_3_load_1(const vd_sampled_image& image, u32x3 at, uint level) {
    if (uint(level) >= uint(image.levels)) return f32x4(0.0f);
    if (uint(at.x) >= uint(max(image.width >> level, 1)) || uint(at.y) >= uint(max(image.height >> level, 1)) || uint(at.z) >= uint(max(image.depth >> level, 1))) return f32x4(0.0f);
    const float4 t = tex3DLod<float4>(image.fetch, (float(at.x) + 0.5f) / float(max(image.width >> level, 1)), (float(at.y) + 0.5f) / float(max(image.height >> level, 1)), (float(at.z) + 0.5f) / float(max(image.depth >> level, 1)), float(level));
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline i32x4 image_3_size(const vd_sampled_image& image) {
    return i32x4(image.width, image.height, image.depth, image.levels);
}
__device__ inline i32x4 image_3_size_1(const vd_sampled_image& image, int level) {
    level = max(min(level, image.levels - 1), 0);
    return i32x4(max(image.width >> level, 1), max(image.height >> level, 1), max(image.depth >> level, 1), image.levels);
}

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(f32x4* out, i32x4* sizes, const vd_sampled_image size, const vd_sampled_image image, const vd_sampled_image image_1, const vd_sampled_image image_2, const vd_sampled_image image_3) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const uint global_id_y = blockIdx.y * 1u + threadIdx.y;
    const uint global_id_z = blockIdx.z * 1u + threadIdx.z;
    const float t0 = float(global_id_x);
    out[0u] = size_sample(size, t0);
    out[1u] = size_sample_1(size, t0, 1.5f);
    const int t1 = int(global_id_x);
    out[2u] = size_load(size, t1);
    out[3u] = size_load_1(size, global_id_x, 1u);
    sizes[4u] = size_size(size);
    sizes[5u] = size_size_1(size, 1);
    const float t2 = float(global_id_y);
    const f32x2 t3 = f32x2(t0, t2);
    out[6u] = image_sample(image, t3);
    out[7u] = image_sample_1(image, t3, 1.5f);
    const int t4 = int(global_id_y);
    const i32x2 t5 = i32x2(t1, t4);
    out[8u] = image_load(image, t5);
    const u32x2 t6 = u32x2(global_id_x, global_id_y);
    out[9u] = image_load_1(image, t6, 1u);
    sizes[10u] = image_size(image);
    sizes[11u] = image_size_1(image, 1);
    out[12u] = image_1_sample(image_1, t3);
    out[13u] = image_1_sample_1(image_1, t3, 1.5f);
    out[14u] = image_1_load(image_1, t5);
    out[15u] = image_1_load_1(image_1, t6, 1u);
    sizes[16u] = image_1_size(image_1);
    sizes[17u] = image_1_size_1(image_1, 1);
    const f32x3 t7 = f32x3(t0, t2, float(global_id_z));
    out[18u] = image_2_sample(image_2, t7);
    out[19u] = image_2_sample_1(image_2, t7, 1.5f);
    const i32x3 t8 = i32x3(t1, t4, int(global_id_z));
    out[20u] = image_2_load(image_2, t8);
    const u32x3 t9 = u32x3(global_id_x, global_id_y, global_id_z);
    out[21u] = image_2_load_1(image_2, t9, 1u);
    sizes[22u] = image_2_size(image_2);
    sizes[23u] = image_2_size_1(image_2, 1);
    out[24u] = image_3_sample(image_3, t7);
    out[25u] = image_3_sample_1(image_3, t7, 1.5f);
    out[26u] = image_3_load(image_3, t8);
    out[27u] = image_3_load_1(image_3, t9, 1u);
    sizes[28u] = image_3_size(image_3);
    sizes[29u] = image_3_size_1(image_3, 1);
}
