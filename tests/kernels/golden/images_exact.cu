typedef unsigned int uint;
typedef unsigned long long u64;
struct __align__(16) i32x4 {
    int x, y, z, w;
    i32x4() = default;
    __device__ i32x4(int x, int y, int z, int w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit i32x4(int s) : x(s), y(s), z(s), w(s) {}
    __device__ int& operator[](uint i) { return (&x)[i]; }
    __device__ int operator[](uint i) const { return (&x)[i]; }
};
struct __align__(16) f32x4 {
    float x, y, z, w;
    f32x4() = default;
    __device__ f32x4(float x, float y, float z, float w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit f32x4(float s) : x(s), y(s), z(s), w(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
struct f32x4_packed {
    float x, y, z, w;
    f32x4_packed() = default;
    __device__ f32x4_packed(float x, float y, float z, float w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit f32x4_packed(float s) : x(s), y(s), z(s), w(s) {}
    __device__ f32x4_packed(f32x4 v) : x(v.x), y(v.y), z(v.z), w(v.w) {}
    __device__ operator f32x4() const { return f32x4(x, y, z, w); }
    __device__ float& operator[](uint i) { return (&x)[i]; }
};
__device__ inline f32x4 operator+(f32x4 a, f32x4 b) { return f32x4((a.x + b.x), (a.y + b.y), (a.z + b.z), (a.w + b.w)); }
struct f32x3 {
    float x, y, z;
    f32x3() = default;
    __device__ f32x3(float x, float y, float z) : x(x), y(y), z(z) {}
    __device__ explicit f32x3(float s) : x(s), y(s), z(s) {}
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
struct u32x4_packed {
    uint x, y, z, w;
    u32x4_packed() = default;
    __device__ u32x4_packed(uint x, uint y, uint z, uint w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit u32x4_packed(uint s) : x(s), y(s), z(s), w(s) {}
    __device__ u32x4_packed(u32x4 v) : x(v.x), y(v.y), z(v.z), w(v.w) {}
    __device__ operator u32x4() const { return u32x4(x, y, z, w); }
    __device__ uint& operator[](uint i) { return (&x)[i]; }
};
struct vd_sampled_image {
    u64 magnify, minify, fetch;
    int width, height, depth, levels;
    float unit_x, unit_y, unit_z;
    uint flags;
    uint border[4];
};
__device__ inline i32x4 line_size(const vd_sampled_image& image, int level) {
    level = max(min(level, image.levels - 1), 0);
    return i32x4(max(image.width >> level, 1), image.height, image.depth, image.levels);
}
__device__ inline i32x4 line_sample_1(const vd_sampled_image& image, float at, float level) {
    float x = (at + 0.5f) * image.unit_x;
    if (image.flags & 8u) {
        x = fabsf(x);
    }
    int4 t = tex1DLod<int4>(level <= 0.0f ? image.magnify : image.minify, x, level);
    if ((image.flags & 16u) && (x < 0.0f || x >= 1.0f)) {
        t.x = int(image.border[0]);
        t.y = int(image.border[1]);
        t.z = int(image.border[2]);
        t.w = int(image.border[3]);
    }
    const uint channels = image.flags & 7u;
    return i32x4(t.x, channels > 1u ? t.y : 0, channels > 2u ? t.z : 0, channels > 2u ? t.w : 1);
}
__device__ inline f32x4 layers_sample_1(const vd_sampled_image& image, f32x3 at) {
    float x = (at.x + 0.5f) * image.unit_x;
    float y = (at.y + 0.5f) * image.unit_y;
    if (image.flags & 8u) {
        x = fabsf(x);
        y = fabsf(y);
    }
    const int layer = min(max(__float2int_rz(rintf(at.z)), 0), image.depth - 1);
    float4 t = tex2DLayeredLod<float4>(image.magnify, x, y, layer, 0.0f);
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
struct u_vd_sample {
    u32x4_packed flags;
    f32x4_packed level;
};
struct Block_values {
    u_vd_sample layers_sample;
    u_vd_sample line_sample;
};

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(const vd_sampled_image layers, const vd_sampled_image line, f32x4* out, const Block_values values) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const float t0 = float(global_id_x);
    const float t1 = t0 * 0.5f;
    const float t2 = fminf(fmaxf(t1 + values.line_sample.level.x, values.line_sample.level.y), values.line_sample.level.z);
    const bool t3 = t2 <= 0.0f;
    const uint t4 = values.line_sample.flags.x;
    const bool t5 = (t3 && (t4 & 1u) != 0u) || (!t3 && (t4 & 2u) != 0u);
    const i32x4 t6 = line_size(line, 0);
    const float t7 = fminf(fmaxf(t2, 0.0f), float(int(uint(t6.w) - uint(1))));
    const bool t8 = (t4 & 4u) != 0u;
    const float t9 = t8 ? ceilf(t7 - 0.5f) : floorf(t7);
    const int t10 = __float2int_rz(t9);
    const bool t11 = t10 == 0;
    const float t12 = float(line_size(line, t10).x);
    const float t13 = float(t6.x);
    const float t14 = t11 ? 1.0f : t12 / t13;
    const float t15 = t11 ? 1.0f : t13 / t12;
    const float t16 = t1 * t14 + (t14 * 0.5f - 0.5f);
    const float t17 = floorf(t16);
    const i32x4 t18 = line_sample_1(line, t5 ? (t17 + (t16 - t17 >= 0.5f ? 1.0f : 0.0f)) * t15 + (t15 * 0.5f - 0.5f) : t1, t3 ? 0.0f : (t8 ? fmaxf(t9, 0.25f) : (t5 ? t9 : fmaxf(t7, 0.00390625f))));
    const float t19 = floorf(t1);
    const f32x4 t20 = layers_sample_1(layers, f32x3((values.layers_sample.flags.x & 1u) != 0u ? t19 + (t1 - t19 >= 0.5f ? 1.0f : 0.0f) : t1, t0, 1.0f)) + f32x4(float(t18.x), float(t18.y), float(t18.z), float(t18.w));
    out[global_id_x] = t20;
}
