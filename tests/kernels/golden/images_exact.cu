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
__device__ inline f32x4 operator*(f32x4 a, f32x4 b) { return f32x4((a.x * b.x), (a.y * b.y), (a.z * b.z), (a.w * b.w)); }
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
__device__ inline f32x4 layers_sample_1(const vd_sampled_image& image, f32x3 at, float level) {
    float x = (at.x + 0.5f) * image.unit_x;
    float y = (at.y + 0.5f) * image.unit_y;
    if (image.flags & 8u) {
        x = fabsf(x);
        y = fabsf(y);
    }
    const int layer = min(max(__float2int_rz(rintf(at.z)), 0), image.depth - 1);
    float4 t = tex2DLayeredLod<float4>(level <= 0.0f ? image.magnify : image.minify, x, y, layer, level);
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
__device__ inline i32x4 layers_size(const vd_sampled_image& image, int level) {
    level = max(min(level, image.levels - 1), 0);
    return i32x4(max(image.width >> level, 1), max(image.height >> level, 1), image.depth, image.levels);
}
struct u_vd_sample {
    u32x4_packed flags;
    f32x4_packed level;
    f32x4_packed ratio;
    f32x4_packed back;
};
struct Block_values {
    u_vd_sample layers_sample;
    u_vd_sample line_sample;
};

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(const vd_sampled_image layers, const vd_sampled_image line, f32x4* out, const Block_values values) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const float t0 = float(global_id_x);
    const float t1 = fminf(fmaxf(t0 + values.line_sample.level.x, values.line_sample.level.y), values.line_sample.level.z);
    const bool t2 = t1 <= 0.0f;
    const uint t3 = values.line_sample.flags.x;
    const bool t4 = (t2 && (t3 & 1u) != 0u) || (!t2 && (t3 & 2u) != 0u);
    const i32x4 t5 = line_size(line, 0);
    const float t6 = fminf(fmaxf(t1, 0.0f), float(int(uint(t5.w) - uint(1))));
    const bool t7 = (t3 & 4u) != 0u;
    const float t8 = t7 ? ceilf(t6 - 0.5f) : floorf(t6);
    const int t9 = __float2int_rz(t8);
    const bool t10 = t9 == 0;
    const float t11 = float(t5.x);
    const float t12 = float(line_size(line, t9).x);
    const float t13 = t10 ? 1.0f : t12 / t11;
    const float t14 = t10 ? 1.0f : t11 / t12;
    const float t15 = t0 * t13 + (t13 * 0.5f - 0.5f);
    const float t16 = floorf(t15);
    const i32x4 t17 = line_sample_1(line, t4 ? (t16 + (t15 - t16 >= 0.5f ? 1.0f : 0.0f)) * t14 + (t14 * 0.5f - 0.5f) : t0, t2 ? 0.0f : (t7 ? fmaxf(t8, 0.25f) : (t4 ? t8 : fmaxf(t6, 0.00390625f))));
    const float t18 = values.layers_sample.ratio.x;
    const float t19 = values.layers_sample.back.x;
    const float t20 = values.layers_sample.ratio.y;
    const float t21 = values.layers_sample.back.y;
    const uint t22 = values.layers_sample.flags.x;
    const bool t23 = (t22 & 8u) != 0u;
    const float t24 = t0 * t18 + (t18 * 0.5f - 0.5f);
    const float t25 = floorf(t24);
    const float t26 = t0 * t20 + (t20 * 0.5f - 0.5f);
    const float t27 = floorf(t26);
    const f32x3 t28 = f32x3(t23 ? (t25 + (t24 - t25 >= 0.5f ? 1.0f : 0.0f)) * t19 + (t19 * 0.5f - 0.5f) : t0, t23 ? (t27 + (t26 - t27 >= 0.5f ? 1.0f : 0.0f)) * t21 + (t21 * 0.5f - 0.5f) : t0, 1.0f);
    const f32x4 t29 = layers_sample_1(layers, t28, values.layers_sample.level.w);
    const int t30 = __float2int_rz(values.layers_sample.back.w);
    const float t31 = values.layers_sample.ratio.w;
    f32x4 var0 = t29;
    if ((t22 & 16u) != 0u) {
        const i32x4 t32 = layers_size(layers, 0);
        const i32x4 t33 = layers_size(layers, t30);
        const bool t34 = t30 == 0;
        const float t35 = float(t32.x);
        const float t36 = float(t33.x);
        const float t37 = t34 ? 1.0f : t36 / t35;
        const float t38 = t34 ? 1.0f : t35 / t36;
        const float t39 = float(t32.y);
        const float t40 = float(t33.y);
        const float t41 = t34 ? 1.0f : t40 / t39;
        const float t42 = t34 ? 1.0f : t39 / t40;
        const float t43 = t0 * t37 + (t37 * 0.5f - 0.5f);
        const float t44 = floorf(t43);
        const float t45 = t0 * t41 + (t41 * 0.5f - 0.5f);
        const float t46 = floorf(t45);
        const f32x4 t47 = layers_sample_1(layers, f32x3((t44 + (t43 - t44 >= 0.5f ? 1.0f : 0.0f)) * t38 + (t38 * 0.5f - 0.5f), (t46 + (t45 - t46 >= 0.5f ? 1.0f : 0.0f)) * t42 + (t42 * 0.5f - 0.5f), 1.0f), float(t30));
        var0 = t29 * f32x4(1.0f - t31) + t47 * f32x4(t31);
    }
    out[global_id_x] = var0 + f32x4(float(t17.x), float(t17.y), float(t17.z), float(t17.w));
}
