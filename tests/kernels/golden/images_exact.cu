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
template <class T, class S> __device__ inline T vd_bitcast(S s) {
    T t;
    memcpy(&t, &s, sizeof(T));
    return t;
}
struct vd_sampled_image {
    u64 texture, fetch;
    int width, height, depth, levels;
    float unit_x, unit_y, unit_z;
    uint flags;
    uint border[4];
};
__device__ inline i32x4 line_size(const vd_sampled_image& image, int level) {
    level = max(min(level, image.levels - 1), 0);
    return i32x4(max(image.width >> level, 1), image.height, image.depth, image.levels);
}
__device__ inline i32x4 line_load(const vd_sampled_image& image, int at, int level) {
    if (uint(level) >= uint(image.levels)) return i32x4(0);
    if (uint(at) >= uint(max(image.width >> level, 1))) return i32x4(0);
    const int4 t = tex1DLod<int4>(image.fetch, (float(at) + 0.5f) / float(max(image.width >> level, 1)), float(level));
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
    float4 t = tex2DLayeredLod<float4>(image.texture, x, y, layer, 0.0f);
    const uint channels = image.flags & 7u;
    return f32x4(t.x, channels > 1u ? t.y : 0.0f, channels > 2u ? t.z : 0.0f, channels > 2u ? t.w : 1.0f);
}
struct u_vd_sample {
    uint flags;
    float bias;
    float lowest;
    float highest;
    u32x4_packed border;
};
struct Block_values {
    u_vd_sample layers_sample;
    u_vd_sample line_sample;
};

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(const vd_sampled_image layers, const vd_sampled_image line, f32x4* out, const Block_values values) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const float t0 = float(global_id_x);
    const float t1 = t0 * 0.5f;
    const i32x4 t2 = line_size(line, 0);
    const float t3 = fminf(fmaxf(fminf(fmaxf(t1 + values.line_sample.bias, values.line_sample.lowest), values.line_sample.highest), 0.0f), float(int(uint(t2.w) - uint(1))));
    const int t4 = __float2int_rz((values.line_sample.flags & 4u) != 0u ? ceilf(t3 - 0.5f) : floorf(t3));
    const uint t5 = values.line_sample.flags >> 8u;
    const int t6 = line_size(line, t4).x;
    const float t7 = t4 == 0 ? 1.0f : float(t6) / float(t2.x);
    const float t8 = fminf(fmaxf(t1 * t7 + (t7 * 0.5f - 0.5f), -1073741800.0f), 1073741800.0f);
    const float t9 = floorf(t8);
    const int t10 = __float2int_rz(t9 + (t8 - t9 >= 0.5f ? 1.0f : 0.0f));
    const int t11 = int(uint(t6) - uint(1));
    int var0 = max(min(t10, t11), 0);
    const bool t12 = !(uint(t10) < uint(t6));
    if (t12) {
        if (t5 == 0u) {
            const int t13 = t6 == 0 || (t10 == (-2147483647 - 1) && t6 == -1) ? 1 : t6;
            const int t14 = int(uint(t10) - uint(int(uint(t10 / t13) * uint(t13))));
            var0 = int(uint(t14) + uint(t14 != 0 && (t14 ^ t6) < 0 ? t6 : 0));
        }
        if (t5 == 1u) {
            const int t15 = int(uint(t6) + uint(t6));
            const int t16 = t15 == 0 || (t10 == (-2147483647 - 1) && t15 == -1) ? 1 : t15;
            const int t17 = int(uint(t10) - uint(int(uint(t10 / t16) * uint(t16))));
            const int t18 = int(uint(t17) + uint(t17 != 0 && (t17 ^ t15) < 0 ? t15 : 0));
            var0 = min(t18, int(uint(int(uint(t15) - uint(1))) - uint(t18)));
        }
        if (t5 == 4u) {
            var0 = max(min(max(t10, int(uint(-1) - uint(t10))), t11), 0);
        }
    }
    const int t19 = var0;
    i32x4 var1 = vd_bitcast<i32x4>(values.line_sample.border);
    if (!(t12 && t5 == 3u)) {
        var1 = line_load(line, t19, t4);
    }
    const i32x4 t20 = var1;
    const float t21 = floorf(t1);
    const f32x4 t22 = layers_sample_1(layers, f32x3((values.layers_sample.flags & 1u) != 0u ? t21 + (t1 - t21 >= 0.5f ? 1.0f : 0.0f) : t1, t0, 1.0f)) + f32x4(float(t20.x), float(t20.y), float(t20.z), float(t20.w));
    out[global_id_x] = t22;
}
