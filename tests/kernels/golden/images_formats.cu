typedef signed char i8;
typedef short i16;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int uint;
typedef unsigned long long u64;
struct half {
    unsigned short bits;
    half() = default;
    template <int = 0> __device__ half(const volatile half& h) : bits(h.bits) {}
    template <int = 0> __device__ void operator=(half h) volatile { bits = h.bits; }
};
__device__ constexpr half vd_half(unsigned short bits) { half h{}; h.bits = bits; return h; }
__device__ inline float vd_to_float(half a) { float r; asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(a.bits)); return r; }
__device__ inline half vd_to_half(float a) { half r; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.bits) : "f"(a)); return r; }
__device__ inline half vd_to_half(double a) { half r; asm("cvt.rn.f16.f64 %0, %1;" : "=h"(r.bits) : "d"(a)); return r; }
__device__ inline half operator+(half a, half b) { half r; asm("add.rn.f16 %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits)); return r; }
__device__ inline half operator-(half a, half b) { half r; asm("sub.rn.f16 %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits)); return r; }
__device__ inline half operator*(half a, half b) { half r; asm("mul.rn.f16 %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits)); return r; }
__device__ inline half operator-(half a) { a.bits ^= 0x8000; return a; }
__device__ inline half vd_fma(half a, half b, half c) { half r; asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits)); return r; }
struct __align__(8) i32x2 {
    int x, y;
    i32x2() = default;
    __device__ i32x2(int x, int y) : x(x), y(y) {}
    __device__ explicit i32x2(int s) : x(s), y(s) {}
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
struct __align__(16) u32x4 {
    uint x, y, z, w;
    u32x4() = default;
    __device__ u32x4(uint x, uint y, uint z, uint w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit u32x4(uint s) : x(s), y(s), z(s), w(s) {}
    __device__ uint& operator[](uint i) { return (&x)[i]; }
    __device__ uint operator[](uint i) const { return (&x)[i]; }
};
struct __align__(16) i32x4 {
    int x, y, z, w;
    i32x4() = default;
    __device__ i32x4(int x, int y, int z, int w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit i32x4(int s) : x(s), y(s), z(s), w(s) {}
    __device__ int& operator[](uint i) { return (&x)[i]; }
    __device__ int operator[](uint i) const { return (&x)[i]; }
};
struct vd_storage_image {
    u64 surface;
    int width, height, depth;
};
__device__ inline f32x4 from_r8_unorm_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return f32x4(0.0f);
    const u8 t = surf2Dread<u8>(image.surface, int(at.x) * 1, int(at.y), cudaBoundaryModeZero);
    return f32x4(float(t) / 255.0f, 0.0f, 0.0f, 1.0f);
}
__device__ inline void to_r8_unorm_store(const vd_storage_image& image, i32x2 at, f32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(u8(__float2uint_rz(rintf(fminf(fmaxf(t.x, 0.0f), 1.0f) * 255.0f))), image.surface, int(at.x) * 1, int(at.y), cudaBoundaryModeZero);
}
__device__ inline u32x4 from_r8_u8_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return u32x4(0u);
    const u8 t = surf2Dread<u8>(image.surface, int(at.x) * 1, int(at.y), cudaBoundaryModeZero);
    return u32x4(uint(t), 0u, 0u, 1u);
}
__device__ inline void to_r8_u8_store(const vd_storage_image& image, i32x2 at, u32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(u8(min(t.x, 255u)), image.surface, int(at.x) * 1, int(at.y), cudaBoundaryModeZero);
}
__device__ inline i32x4 from_r8_i8_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return i32x4(0);
    const u8 t = surf2Dread<u8>(image.surface, int(at.x) * 1, int(at.y), cudaBoundaryModeZero);
    return i32x4(int(i8(t)), 0, 0, 1);
}
__device__ inline void to_r8_i8_store(const vd_storage_image& image, i32x2 at, i32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(u8(min(max(t.x, -128), 127)), image.surface, int(at.x) * 1, int(at.y), cudaBoundaryModeZero);
}
__device__ inline f32x4 from_rg8_unorm_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return f32x4(0.0f);
    const uchar2 t = surf2Dread<uchar2>(image.surface, int(at.x) * 2, int(at.y), cudaBoundaryModeZero);
    return f32x4(float(t.x) / 255.0f, float(t.y) / 255.0f, 0.0f, 1.0f);
}
__device__ inline void to_rg8_unorm_store(const vd_storage_image& image, i32x2 at, f32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(make_uchar2(u8(__float2uint_rz(rintf(fminf(fmaxf(t.x, 0.0f), 1.0f) * 255.0f))), u8(__float2uint_rz(rintf(fminf(fmaxf(t.y, 0.0f), 1.0f) * 255.0f)))), image.surface, int(at.x) * 2, int(at.y), cudaBoundaryModeZero);
}
__device__ inline u32x4 from_rg8_u8_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return u32x4(0u);
    const uchar2 t = surf2Dread<uchar2>(image.surface, int(at.x) * 2, int(at.y), cudaBoundaryModeZero);
    return u32x4(uint(t.x), uint(t.y), 0u, 1u);
}
__device__ inline void to_rg8_u8_store(const vd_storage_image& image, i32x2 at, u32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(make_uchar2(u8(min(t.x, 255u)), u8(min(t.y, 255u))), image.surface, int(at.x) * 2, int(at.y), cudaBoundaryModeZero);
}
__device__ inline i32x4 from_rg8_i8_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return i32x4(0);
    const uchar2 t = surf2Dread<uchar2>(image.surface, int(at.x) * 2, int(at.y), cudaBoundaryModeZero);
    return i32x4(int(i8(t.x)), int(i8(t.y)), 0, 1);
}
__device__ inline void to_rg8_i8_store(const vd_storage_image& image, i32x2 at, i32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(make_uchar2(u8(min(max(t.x, -128), 127)), u8(min(max(t.y, -128), 127))), image.surface, int(at.x) * 2, int(at.y), cudaBoundaryModeZero);
}
__device__ inline f32x4 from_rgba8_unorm_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return f32x4(0.0f);
    const uchar4 t = surf2Dread<uchar4>(image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
    return f32x4(float(t.x) / 255.0f, float(t.y) / 255.0f, float(t.z) / 255.0f, float(t.w) / 255.0f);
}
__device__ inline void to_rgba8_unorm_store(const vd_storage_image& image, i32x2 at, f32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(make_uchar4(u8(__float2uint_rz(rintf(fminf(fmaxf(t.x, 0.0f), 1.0f) * 255.0f))), u8(__float2uint_rz(rintf(fminf(fmaxf(t.y, 0.0f), 1.0f) * 255.0f))), u8(__float2uint_rz(rintf(fminf(fmaxf(t.z, 0.0f), 1.0f) * 255.0f))), u8(__float2uint_rz(rintf(fminf(fmaxf(t.w, 0.0f), 1.0f) * 255.0f)))), image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
}
__device__ inline u32x4 from_rgba8_u8_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return u32x4(0u);
    const uchar4 t = surf2Dread<uchar4>(image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
    return u32x4(uint(t.x), uint(t.y), uint(t.z), uint(t.w));
}
__device__ inline void to_rgba8_u8_store(const vd_storage_image& image, i32x2 at, u32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(make_uchar4(u8(min(t.x, 255u)), u8(min(t.y, 255u)), u8(min(t.z, 255u)), u8(min(t.w, 255u))), image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
}
__device__ inline i32x4 from_rgba8_i8_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return i32x4(0);
    const uchar4 t = surf2Dread<uchar4>(image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
    return i32x4(int(i8(t.x)), int(i8(t.y)), int(i8(t.z)), int(i8(t.w)));
}
__device__ inline void to_rgba8_i8_store(const vd_storage_image& image, i32x2 at, i32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(make_uchar4(u8(min(max(t.x, -128), 127)), u8(min(max(t.y, -128), 127)), u8(min(max(t.z, -128), 127)), u8(min(max(t.w, -128), 127))), image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
}
__device__ inline u32x4 from_r16_u16_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return u32x4(0u);
    const u16 t = surf2Dread<u16>(image.surface, int(at.x) * 2, int(at.y), cudaBoundaryModeZero);
    return u32x4(uint(t), 0u, 0u, 1u);
}
__device__ inline void to_r16_u16_store(const vd_storage_image& image, i32x2 at, u32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(u16(min(t.x, 65535u)), image.surface, int(at.x) * 2, int(at.y), cudaBoundaryModeZero);
}
__device__ inline i32x4 from_r16_i16_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return i32x4(0);
    const u16 t = surf2Dread<u16>(image.surface, int(at.x) * 2, int(at.y), cudaBoundaryModeZero);
    return i32x4(int(i16(t)), 0, 0, 1);
}
__device__ inline void to_r16_i16_store(const vd_storage_image& image, i32x2 at, i32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(u16(min(max(t.x, -32768), 32767)), image.surface, int(at.x) * 2, int(at.y), cudaBoundaryModeZero);
}
__device__ inline f32x4 from_r16_f16_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return f32x4(0.0f);
    const u16 t = surf2Dread<u16>(image.surface, int(at.x) * 2, int(at.y), cudaBoundaryModeZero);
    return f32x4(vd_to_float(vd_half(t)), 0.0f, 0.0f, 1.0f);
}
__device__ inline void to_r16_f16_store(const vd_storage_image& image, i32x2 at, f32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(vd_to_half(t.x).bits, image.surface, int(at.x) * 2, int(at.y), cudaBoundaryModeZero);
}
__device__ inline u32x4 from_rg16_u16_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return u32x4(0u);
    const ushort2 t = surf2Dread<ushort2>(image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
    return u32x4(uint(t.x), uint(t.y), 0u, 1u);
}
__device__ inline void to_rg16_u16_store(const vd_storage_image& image, i32x2 at, u32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(make_ushort2(u16(min(t.x, 65535u)), u16(min(t.y, 65535u))), image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
}
__device__ inline i32x4 from_rg16_i16_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return i32x4(0);
    const ushort2 t = surf2Dread<ushort2>(image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
    return i32x4(int(i16(t.x)), int(i16(t.y)), 0, 1);
}
__device__ inline void to_rg16_i16_store(const vd_storage_image& image, i32x2 at, i32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(make_ushort2(u16(min(max(t.x, -32768), 32767)), u16(min(max(t.y, -32768), 32767))), image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
}
__device__ inline f32x4 from_rg16_f16_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return f32x4(0.0f);
    const ushort2 t = surf2Dread<ushort2>(image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
    return f32x4(vd_to_float(vd_half(t.x)), vd_to_float(vd_half(t.y)), 0.0f, 1.0f);
}
__device__ inline void to_rg16_f16_store(const vd_storage_image& image, i32x2 at, f32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(make_ushort2(vd_to_half(t.x).bits, vd_to_half(t.y).bits), image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
}
__device__ inline u32x4 from_rgba16_u16_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return u32x4(0u);
    const ushort4 t = surf2Dread<ushort4>(image.surface, int(at.x) * 8, int(at.y), cudaBoundaryModeZero);
    return u32x4(uint(t.x), uint(t.y), uint(t.z), uint(t.w));
}
__device__ inline void to_rgba16_u16_store(const vd_storage_image& image, i32x2 at, u32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(make_ushort4(u16(min(t.x, 65535u)), u16(min(t.y, 65535u)), u16(min(t.z, 65535u)), u16(min(t.w, 65535u))), image.surface, int(at.x) * 8, int(at.y), cudaBoundaryModeZero);
}
__device__ inline i32x4 from_rgba16_i16_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return i32x4(0);
    const ushort4 t = surf2Dread<ushort4>(image.surface, int(at.x) * 8, int(at.y), cudaBoundaryModeZero);
    return i32x4(int(i16(t.x)), int(i16(t.y)), int(i16(t.z)), int(i16(t.w)));
}
__device__ inline void to_rgba16_i16_store(const vd_storage_image& image, i32x2 at, i32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(make_ushort4(u16(min(max(t.x, -32768), 32767)), u16(min(max(t.y, -32768), 32767)), u16(min(max(t.z, -32768), 32767)), u16(min(max(t.w, -32768), 32767))), image.surface, int(at.x) * 8, int(at.y), cudaBoundaryModeZero);
}
__device__ inline f32x4 from_rgba16_f16_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return f32x4(0.0f);
    const ushort4 t = surf2Dread<ushort4>(image.surface, int(at.x) * 8, int(at.y), cudaBoundaryModeZero);
    return f32x4(vd_to_float(vd_half(t.x)), vd_to_float(vd_half(t.y)), vd_to_float(vd_half(t.z)), vd_to_float(vd_half(t.w)));
}
__device__ inline void to_rgba16_f16_store(const vd_storage_image& image, i32x2 at, f32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(make_ushort4(vd_to_half(t.x).bits, vd_to_half(t.y).bits, vd_to_half(t.z).bits, vd_to_half(t.w).bits), image.surface, int(at.x) * 8, int(at.y), cudaBoundaryModeZero);
}
__device__ inline u32x4 from_r32_u32_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return u32x4(0u);
    const uint t = surf2Dread<uint>(image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
    return u32x4(uint(t), 0u, 0u, 1u);
}
__device__ inline void to_r32_u32_store(const vd_storage_image& image, i32x2 at, u32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(t.x, image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
}
__device__ inline i32x4 from_r32_i32_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return i32x4(0);
    const uint t = surf2Dread<uint>(image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
    return i32x4(int(t), 0, 0, 1);
}
__device__ inline void to_r32_i32_store(const vd_storage_image& image, i32x2 at, i32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(uint(t.x), image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
}
__device__ inline f32x4 from_r32_f32_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return f32x4(0.0f);
    const uint t = surf2Dread<uint>(image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
    return f32x4(__uint_as_float(t), 0.0f, 0.0f, 1.0f);
}
__device__ inline void to_r32_f32_store(const vd_storage_image& image, i32x2 at, f32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(__float_as_uint(t.x), image.surface, int(at.x) * 4, int(at.y), cudaBoundaryModeZero);
}
__device__ inline u32x4 from_rg32_u32_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return u32x4(0u);
    const uint2 t = surf2Dread<uint2>(image.surface, int(at.x) * 8, int(at.y), cudaBoundaryModeZero);
    return u32x4(uint(t.x), uint(t.y), 0u, 1u);
}
__device__ inline void to_rg32_u32_store(const vd_storage_image& image, i32x2 at, u32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(make_uint2(t.x, t.y), image.surface, int(at.x) * 8, int(at.y), cudaBoundaryModeZero);
}
__device__ inline i32x4 from_rg32_i32_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return i32x4(0);
    const uint2 t = surf2Dread<uint2>(image.surface, int(at.x) * 8, int(at.y), cudaBoundaryModeZero);
    return i32x4(int(t.x), int(t.y), 0, 1);
}
__device__ inline void to_rg32_i32_store(const vd_storage_image& image, i32x2 at, i32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(make_uint2(uint(t.x), uint(t.y)), image.surface, int(at.x) * 8, int(at.y), cudaBoundaryModeZero);
}
__device__ inline f32x4 from_rg32_f32_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return f32x4(0.0f);
    const uint2 t = surf2Dread<uint2>(image.surface, int(at.x) * 8, int(at.y), cudaBoundaryModeZero);
    return f32x4(__uint_as_float(t.x), __uint_as_float(t.y), 0.0f, 1.0f);
}
__device__ inline void to_rg32_f32_store(const vd_storage_image& image, i32x2 at, f32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(make_uint2(__float_as_uint(t.x), __float_as_uint(t.y)), image.surface, int(at.x) * 8, int(at.y), cudaBoundaryModeZero);
}
__device__ inline u32x4 from_rgba32_u32_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return u32x4(0u);
    const uint4 t = surf2Dread<uint4>(image.surface, int(at.x) * 16, int(at.y), cudaBoundaryModeZero);
    return u32x4(uint(t.x), uint(t.y), uint(t.z), uint(t.w));
}
__device__ inline void to_rgba32_u32_store(const vd_storage_image& image, i32x2 at, u32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(make_uint4(t.x, t.y, t.z, t.w), image.surface, int(at.x) * 16, int(at.y), cudaBoundaryModeZero);
}
__device__ inline i32x4 from_rgba32_i32_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return i32x4(0);
    const uint4 t = surf2Dread<uint4>(image.surface, int(at.x) * 16, int(at.y), cudaBoundaryModeZero);
    return i32x4(int(t.x), int(t.y), int(t.z), int(t.w));
}
__device__ inline void to_rgba32_i32_store(const vd_storage_image& image, i32x2 at, i32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(make_uint4(uint(t.x), uint(t.y), uint(t.z), uint(t.w)), image.surface, int(at.x) * 16, int(at.y), cudaBoundaryModeZero);
}
__device__ inline f32x4 from_rgba32_f32_load(const vd_storage_image& image, i32x2 at) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return f32x4(0.0f);
    const uint4 t = surf2Dread<uint4>(image.surface, int(at.x) * 16, int(at.y), cudaBoundaryModeZero);
    return f32x4(__uint_as_float(t.x), __uint_as_float(t.y), __uint_as_float(t.z), __uint_as_float(t.w));
}
__device__ inline void to_rgba32_f32_store(const vd_storage_image& image, i32x2 at, f32x4 t) {
    if (uint(at.x) >= uint(image.width) || uint(at.y) >= uint(image.height)) return;
    surf2Dwrite(make_uint4(__float_as_uint(t.x), __float_as_uint(t.y), __float_as_uint(t.z), __float_as_uint(t.w)), image.surface, int(at.x) * 16, int(at.y), cudaBoundaryModeZero);
}

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(const vd_storage_image from_r8_unorm, const vd_storage_image to_r8_unorm, const vd_storage_image from_r8_u8, const vd_storage_image to_r8_u8, const vd_storage_image from_r8_i8, const vd_storage_image to_r8_i8, const vd_storage_image from_rg8_unorm, const vd_storage_image to_rg8_unorm, const vd_storage_image from_rg8_u8, const vd_storage_image to_rg8_u8, const vd_storage_image from_rg8_i8, const vd_storage_image to_rg8_i8, const vd_storage_image from_rgba8_unorm, const vd_storage_image to_rgba8_unorm, const vd_storage_image from_rgba8_u8, const vd_storage_image to_rgba8_u8, const vd_storage_image from_rgba8_i8, const vd_storage_image to_rgba8_i8, const vd_storage_image from_r16_u16, const vd_storage_image to_r16_u16, const vd_storage_image from_r16_i16, const vd_storage_image to_r16_i16, const vd_storage_image from_r16_f16, const vd_storage_image to_r16_f16, const vd_storage_image from_rg16_u16, const vd_storage_image to_rg16_u16, const vd_storage_image from_rg16_i16, const vd_storage_image to_rg16_i16, const vd_storage_image from_rg16_f16, const vd_storage_image to_rg16_f16, const vd_storage_image from_rgba16_u16, const vd_storage_image to_rgba16_u16, const vd_storage_image from_rgba16_i16, const vd_storage_image to_rgba16_i16, const vd_storage_image from_rgba16_f16, const vd_storage_image to_rgba16_f16, const vd_storage_image from_r32_u32, const vd_storage_image to_r32_u32, const vd_storage_image from_r32_i32, const vd_storage_image to_r32_i32, const vd_storage_image from_r32_f32, const vd_storage_image to_r32_f32, const vd_storage_image from_rg32_u32, const vd_storage_image to_rg32_u32, const vd_storage_image from_rg32_i32, const vd_storage_image to_rg32_i32, const vd_storage_image from_rg32_f32, const vd_storage_image to_rg32_f32, const vd_storage_image from_rgba32_u32, const vd_storage_image to_rgba32_u32, const vd_storage_image from_rgba32_i32, const vd_storage_image to_rgba32_i32, const vd_storage_image from_rgba32_f32, const vd_storage_image to_rgba32_f32) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const uint global_id_y = blockIdx.y * 1u + threadIdx.y;
    const i32x2 t0 = i32x2(int(global_id_x), int(global_id_y));
    to_r8_unorm_store(to_r8_unorm, t0, from_r8_unorm_load(from_r8_unorm, t0));
    to_r8_u8_store(to_r8_u8, t0, from_r8_u8_load(from_r8_u8, t0));
    to_r8_i8_store(to_r8_i8, t0, from_r8_i8_load(from_r8_i8, t0));
    to_rg8_unorm_store(to_rg8_unorm, t0, from_rg8_unorm_load(from_rg8_unorm, t0));
    to_rg8_u8_store(to_rg8_u8, t0, from_rg8_u8_load(from_rg8_u8, t0));
    to_rg8_i8_store(to_rg8_i8, t0, from_rg8_i8_load(from_rg8_i8, t0));
    to_rgba8_unorm_store(to_rgba8_unorm, t0, from_rgba8_unorm_load(from_rgba8_unorm, t0));
    to_rgba8_u8_store(to_rgba8_u8, t0, from_rgba8_u8_load(from_rgba8_u8, t0));
    to_rgba8_i8_store(to_rgba8_i8, t0, from_rgba8_i8_load(from_rgba8_i8, t0));
    to_r16_u16_store(to_r16_u16, t0, from_r16_u16_load(from_r16_u16, t0));
    to_r16_i16_store(to_r16_i16, t0, from_r16_i16_load(from_r16_i16, t0));
    to_r16_f16_store(to_r16_f16, t0, from_r16_f16_load(from_r16_f16, t0));
    to_rg16_u16_store(to_rg16_u16, t0, from_rg16_u16_load(from_rg16_u16, t0));
    to_rg16_i16_store(to_rg16_i16, t0, from_rg16_i16_load(from_rg16_i16, t0));
    to_rg16_f16_store(to_rg16_f16, t0, from_rg16_f16_load(from_rg16_f16, t0));
    to_rgba16_u16_store(to_rgba16_u16, t0, from_rgba16_u16_load(from_rgba16_u16, t0));
    to_rgba16_i16_store(to_rgba16_i16, t0, from_rgba16_i16_load(from_rgba16_i16, t0));
    to_rgba16_f16_store(to_rgba16_f16, t0, from_rgba16_f16_load(from_rgba16_f16, t0));
    to_r32_u32_store(to_r32_u32, t0, from_r32_u32_load(from_r32_u32, t0));
    to_r32_i32_store(to_r32_i32, t0, from_r32_i32_load(from_r32_i32, t0));
    to_r32_f32_store(to_r32_f32, t0, from_r32_f32_load(from_r32_f32, t0));
    to_rg32_u32_store(to_rg32_u32, t0, from_rg32_u32_load(from_rg32_u32, t0));
    to_rg32_i32_store(to_rg32_i32, t0, from_rg32_i32_load(from_rg32_i32, t0));
    to_rg32_f32_store(to_rg32_f32, t0, from_rg32_f32_load(from_rg32_f32, t0));
    to_rgba32_u32_store(to_rgba32_u32, t0, from_rgba32_u32_load(from_rgba32_u32, t0));
    to_rgba32_i32_store(to_rgba32_i32, t0, from_rgba32_i32_load(from_rgba32_i32, t0));
    to_rgba32_f32_store(to_rgba32_f32, t0, from_rgba32_f32_load(from_rgba32_f32, t0));
}
