typedef signed char i8;
typedef short i16;
typedef long long i64;
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
struct __align__(16) u64x2 {
    u64 x, y;
    u64x2() = default;
    __device__ u64x2(u64 x, u64 y) : x(x), y(y) {}
    __device__ explicit u64x2(u64 s) : x(s), y(s) {}
    __device__ u64& operator[](uint i) { return (&x)[i]; }
    __device__ u64 operator[](uint i) const { return (&x)[i]; }
};
__device__ inline u64x2 operator+(u64x2 a, u64x2 b) { return u64x2(u64(a.x + b.x), u64(a.y + b.y)); }
struct __align__(4) i8x4 {
    i8 x, y, z, w;
    i8x4() = default;
    __device__ i8x4(i8 x, i8 y, i8 z, i8 w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit i8x4(i8 s) : x(s), y(s), z(s), w(s) {}
    __device__ i8& operator[](uint i) { return (&x)[i]; }
    __device__ i8 operator[](uint i) const { return (&x)[i]; }
};
struct __align__(16) i32x4 {
    int x, y, z, w;
    i32x4() = default;
    __device__ i32x4(int x, int y, int z, int w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit i32x4(int s) : x(s), y(s), z(s), w(s) {}
    __device__ int& operator[](uint i) { return (&x)[i]; }
    __device__ int operator[](uint i) const { return (&x)[i]; }
};
__device__ inline i32x4 operator+(i32x4 a, i32x4 b) { return i32x4(int(uint(a.x) + uint(b.x)), int(uint(a.y) + uint(b.y)), int(uint(a.z) + uint(b.z)), int(uint(a.w) + uint(b.w))); }
template <class T, class F> __device__ inline T vd_subgroup_reduce(T x, F f) {
    unsigned int mask = __activemask();
    if (mask == 0xffffffffu) {
        for (int step = 16; step > 0; step >>= 1) x = f(x, __shfl_xor_sync(mask, x, step));
        return x;
    }
    T r = __shfl_sync(mask, x, __ffs(mask) - 1);
    for (unsigned int rest = mask & (mask - 1); rest; rest &= rest - 1) r = f(r, __shfl_sync(mask, x, __ffs(rest) - 1));
    return r;
}
struct vd_add { template <class T> __device__ T operator()(T a, T b) const { return a + b; } };
struct vd_mul { template <class T> __device__ T operator()(T a, T b) const { return a * b; } };
struct vd_min {
    template <class T> __device__ T operator()(T a, T b) const { return b < a || a != a ? b : a; }
};
struct vd_max {
    template <class T> __device__ T operator()(T a, T b) const { return b > a || a != a ? b : a; }
};
struct vd_and { template <class T> __device__ T operator()(T a, T b) const { return a & b; } };
struct vd_or { template <class T> __device__ T operator()(T a, T b) const { return a | b; } };
struct vd_xor { template <class T> __device__ T operator()(T a, T b) const { return a ^ b; } };
template <class T> __device__ inline T vd_subgroup_first(T x) {
    const unsigned int mask = __activemask();
    return __shfl_sync(mask, x, __ffs(mask) - 1);
}

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(i8* i8_1, u8* u8_1, i16* i16_1, u16* u16_1, i64* i64_1, u64* u64_1, half* f16, u64x2* u64x2_1, i8x4* i8x4_1, i64* some) {
    const int t0 = int(i8_1[threadIdx.x]);
    const int t1 = vd_subgroup_reduce(t0, vd_add());
    const int t2 = int(uint(int(uint(int(uint(int(uint(t0) + uint(t0))) << 24) >> 24) + uint(int(uint(t1) << 24) >> 24))) << 24) >> 24;
    const int t3 = vd_subgroup_reduce(t0, vd_mul());
    const int t4 = int(uint(int(uint(int(uint(int(uint(t2) + uint(t2))) << 24) >> 24) + uint(int(uint(t3) << 24) >> 24))) << 24) >> 24;
    const int t5 = vd_subgroup_reduce(t0, vd_min());
    const int t6 = int(uint(int(uint(int(uint(int(uint(t4) + uint(t4))) << 24) >> 24) + uint(t5))) << 24) >> 24;
    const int t7 = vd_subgroup_reduce(t0, vd_max());
    const int t8 = int(uint(int(uint(int(uint(int(uint(t6) + uint(t6))) << 24) >> 24) + uint(t7))) << 24) >> 24;
    const int t9 = vd_subgroup_reduce(t0, vd_and());
    const int t10 = int(uint(int(uint(int(uint(int(uint(t8) + uint(t8))) << 24) >> 24) + uint(t9))) << 24) >> 24;
    const int t11 = vd_subgroup_reduce(t0, vd_or());
    const int t12 = int(uint(int(uint(int(uint(int(uint(t10) + uint(t10))) << 24) >> 24) + uint(t11))) << 24) >> 24;
    const int t13 = vd_subgroup_reduce(t0, vd_xor());
    const int t14 = int(uint(int(uint(int(uint(int(uint(t12) + uint(t12))) << 24) >> 24) + uint(t13))) << 24) >> 24;
    const int t15 = __shfl_xor_sync(__activemask(), t0, 1u);
    const int t16 = int(uint(int(uint(int(uint(int(uint(t14) + uint(t14))) << 24) >> 24) + uint(t15))) << 24) >> 24;
    const int t17 = vd_subgroup_first(t0);
    i8_1[threadIdx.x] = i8(int(uint(int(uint(int(uint(t16) + uint(t16))) << 24) >> 24) + uint(t17)));
    const uint t18 = uint(u8_1[threadIdx.x]);
    const uint t19 = vd_subgroup_reduce(t18, vd_add());
    const uint t20 = (((t18 + t18) & 255u) + (t19 & 255u)) & 255u;
    const uint t21 = vd_subgroup_reduce(t18, vd_mul());
    const uint t22 = (((t20 + t20) & 255u) + (t21 & 255u)) & 255u;
    const uint t23 = vd_subgroup_reduce(t18, vd_min());
    const uint t24 = (((t22 + t22) & 255u) + t23) & 255u;
    const uint t25 = vd_subgroup_reduce(t18, vd_max());
    const uint t26 = (((t24 + t24) & 255u) + t25) & 255u;
    const uint t27 = vd_subgroup_reduce(t18, vd_and());
    const uint t28 = (((t26 + t26) & 255u) + t27) & 255u;
    const uint t29 = vd_subgroup_reduce(t18, vd_or());
    const uint t30 = (((t28 + t28) & 255u) + t29) & 255u;
    const uint t31 = vd_subgroup_reduce(t18, vd_xor());
    const uint t32 = (((t30 + t30) & 255u) + t31) & 255u;
    const uint t33 = __shfl_xor_sync(__activemask(), t18, 1u);
    const uint t34 = (((t32 + t32) & 255u) + t33) & 255u;
    const uint t35 = vd_subgroup_first(t18);
    u8_1[threadIdx.x] = u8(((t34 + t34) & 255u) + t35);
    const int t36 = int(i16_1[threadIdx.x]);
    const int t37 = vd_subgroup_reduce(t36, vd_add());
    const int t38 = int(uint(int(uint(int(uint(int(uint(t36) + uint(t36))) << 16) >> 16) + uint(int(uint(t37) << 16) >> 16))) << 16) >> 16;
    const int t39 = vd_subgroup_reduce(t36, vd_mul());
    const int t40 = int(uint(int(uint(int(uint(int(uint(t38) + uint(t38))) << 16) >> 16) + uint(int(uint(t39) << 16) >> 16))) << 16) >> 16;
    const int t41 = vd_subgroup_reduce(t36, vd_min());
    const int t42 = int(uint(int(uint(int(uint(int(uint(t40) + uint(t40))) << 16) >> 16) + uint(t41))) << 16) >> 16;
    const int t43 = vd_subgroup_reduce(t36, vd_max());
    const int t44 = int(uint(int(uint(int(uint(int(uint(t42) + uint(t42))) << 16) >> 16) + uint(t43))) << 16) >> 16;
    const int t45 = vd_subgroup_reduce(t36, vd_and());
    const int t46 = int(uint(int(uint(int(uint(int(uint(t44) + uint(t44))) << 16) >> 16) + uint(t45))) << 16) >> 16;
    const int t47 = vd_subgroup_reduce(t36, vd_or());
    const int t48 = int(uint(int(uint(int(uint(int(uint(t46) + uint(t46))) << 16) >> 16) + uint(t47))) << 16) >> 16;
    const int t49 = vd_subgroup_reduce(t36, vd_xor());
    const int t50 = int(uint(int(uint(int(uint(int(uint(t48) + uint(t48))) << 16) >> 16) + uint(t49))) << 16) >> 16;
    const int t51 = __shfl_xor_sync(__activemask(), t36, 1u);
    const int t52 = int(uint(int(uint(int(uint(int(uint(t50) + uint(t50))) << 16) >> 16) + uint(t51))) << 16) >> 16;
    const int t53 = vd_subgroup_first(t36);
    i16_1[threadIdx.x] = i16(int(uint(int(uint(int(uint(t52) + uint(t52))) << 16) >> 16) + uint(t53)));
    const uint t54 = uint(u16_1[threadIdx.x]);
    const uint t55 = vd_subgroup_reduce(t54, vd_add());
    const uint t56 = (((t54 + t54) & 65535u) + (t55 & 65535u)) & 65535u;
    const uint t57 = vd_subgroup_reduce(t54, vd_mul());
    const uint t58 = (((t56 + t56) & 65535u) + (t57 & 65535u)) & 65535u;
    const uint t59 = vd_subgroup_reduce(t54, vd_min());
    const uint t60 = (((t58 + t58) & 65535u) + t59) & 65535u;
    const uint t61 = vd_subgroup_reduce(t54, vd_max());
    const uint t62 = (((t60 + t60) & 65535u) + t61) & 65535u;
    const uint t63 = vd_subgroup_reduce(t54, vd_and());
    const uint t64 = (((t62 + t62) & 65535u) + t63) & 65535u;
    const uint t65 = vd_subgroup_reduce(t54, vd_or());
    const uint t66 = (((t64 + t64) & 65535u) + t65) & 65535u;
    const uint t67 = vd_subgroup_reduce(t54, vd_xor());
    const uint t68 = (((t66 + t66) & 65535u) + t67) & 65535u;
    const uint t69 = __shfl_xor_sync(__activemask(), t54, 1u);
    const uint t70 = (((t68 + t68) & 65535u) + t69) & 65535u;
    const uint t71 = vd_subgroup_first(t54);
    u16_1[threadIdx.x] = u16(((t70 + t70) & 65535u) + t71);
    const i64 t72 = i64_1[threadIdx.x];
    const i64 t73 = vd_subgroup_reduce(t72, vd_add());
    const i64 t74 = i64(u64(i64(u64(t72) + u64(t72))) + u64(t73));
    const i64 t75 = vd_subgroup_reduce(t72, vd_mul());
    const i64 t76 = i64(u64(i64(u64(t74) + u64(t74))) + u64(t75));
    const i64 t77 = vd_subgroup_reduce(t72, vd_min());
    const i64 t78 = i64(u64(i64(u64(t76) + u64(t76))) + u64(t77));
    const i64 t79 = vd_subgroup_reduce(t72, vd_max());
    const i64 t80 = i64(u64(i64(u64(t78) + u64(t78))) + u64(t79));
    const i64 t81 = vd_subgroup_reduce(t72, vd_and());
    const i64 t82 = i64(u64(i64(u64(t80) + u64(t80))) + u64(t81));
    const i64 t83 = vd_subgroup_reduce(t72, vd_or());
    const i64 t84 = i64(u64(i64(u64(t82) + u64(t82))) + u64(t83));
    const i64 t85 = vd_subgroup_reduce(t72, vd_xor());
    const i64 t86 = i64(u64(i64(u64(t84) + u64(t84))) + u64(t85));
    const i64 t87 = __shfl_xor_sync(__activemask(), t72, 1u);
    const i64 t88 = i64(u64(i64(u64(t86) + u64(t86))) + u64(t87));
    const i64 t89 = vd_subgroup_first(t72);
    i64_1[threadIdx.x] = i64(u64(i64(u64(t88) + u64(t88))) + u64(t89));
    const u64 t90 = u64_1[threadIdx.x];
    const u64 t91 = vd_subgroup_reduce(t90, vd_add());
    const u64 t92 = t90 + t90 + t91;
    const u64 t93 = vd_subgroup_reduce(t90, vd_mul());
    const u64 t94 = t92 + t92 + t93;
    const u64 t95 = vd_subgroup_reduce(t90, vd_min());
    const u64 t96 = t94 + t94 + t95;
    const u64 t97 = vd_subgroup_reduce(t90, vd_max());
    const u64 t98 = t96 + t96 + t97;
    const u64 t99 = vd_subgroup_reduce(t90, vd_and());
    const u64 t100 = t98 + t98 + t99;
    const u64 t101 = vd_subgroup_reduce(t90, vd_or());
    const u64 t102 = t100 + t100 + t101;
    const u64 t103 = vd_subgroup_reduce(t90, vd_xor());
    const u64 t104 = t102 + t102 + t103;
    const u64 t105 = __shfl_xor_sync(__activemask(), t90, 1u);
    const u64 t106 = t104 + t104 + t105;
    const u64 t107 = vd_subgroup_first(t90);
    u64_1[threadIdx.x] = t106 + t106 + t107;
    const half t108 = f16[threadIdx.x];
    const float t109 = vd_subgroup_reduce(vd_to_float(t108), vd_min());
    const half t110 = t108 + t108 + vd_to_half(t109);
    const float t111 = vd_subgroup_reduce(vd_to_float(t108), vd_max());
    const half t112 = t110 + t110 + vd_to_half(t111);
    const float t113 = __shfl_xor_sync(__activemask(), vd_to_float(t108), 1u);
    const half t114 = t112 + t112 + vd_to_half(t113);
    const float t115 = vd_subgroup_first(vd_to_float(t108));
    f16[threadIdx.x] = t114 + t114 + vd_to_half(t115);
    const u64x2 t116 = u64x2_1[threadIdx.x];
    const u64 t117 = vd_subgroup_reduce(t116.x, vd_add());
    const u64 t118 = vd_subgroup_reduce(t116.y, vd_add());
    const u64x2 t119 = t116 + t116 + u64x2(t117, t118);
    const u64 t120 = __shfl_xor_sync(__activemask(), t116.x, 1u);
    const u64 t121 = __shfl_xor_sync(__activemask(), t116.y, 1u);
    const u64x2 t122 = t119 + t119 + u64x2(t120, t121);
    const u64 t123 = vd_subgroup_first(t116.x);
    const u64 t124 = vd_subgroup_first(t116.y);
    u64x2_1[threadIdx.x] = t122 + t122 + u64x2(t123, t124);
    const i8x4 t125 = i8x4_1[threadIdx.x];
    const int t126 = int(t125.x);
    const int t127 = int(t125.y);
    const int t128 = int(t125.z);
    const int t129 = int(t125.w);
    const i32x4 t130 = i32x4(t126, t127, t128, t129);
    const int t131 = vd_subgroup_reduce(t126, vd_add());
    const int t132 = vd_subgroup_reduce(t127, vd_add());
    const int t133 = vd_subgroup_reduce(t128, vd_add());
    const int t134 = vd_subgroup_reduce(t129, vd_add());
    const i32x4 t135 = t130 + t130;
    const i32x4 t136 = i32x4(int(uint(t135.x) << 24) >> 24, int(uint(t135.y) << 24) >> 24, int(uint(t135.z) << 24) >> 24, int(uint(t135.w) << 24) >> 24) + i32x4(int(uint(t131) << 24) >> 24, int(uint(t132) << 24) >> 24, int(uint(t133) << 24) >> 24, int(uint(t134) << 24) >> 24);
    const i32x4 t137 = i32x4(int(uint(t136.x) << 24) >> 24, int(uint(t136.y) << 24) >> 24, int(uint(t136.z) << 24) >> 24, int(uint(t136.w) << 24) >> 24);
    const int t138 = __shfl_xor_sync(__activemask(), t126, 1u);
    const int t139 = __shfl_xor_sync(__activemask(), t127, 1u);
    const int t140 = __shfl_xor_sync(__activemask(), t128, 1u);
    const int t141 = __shfl_xor_sync(__activemask(), t129, 1u);
    const i32x4 t142 = t137 + t137;
    const i32x4 t143 = i32x4(int(uint(t142.x) << 24) >> 24, int(uint(t142.y) << 24) >> 24, int(uint(t142.z) << 24) >> 24, int(uint(t142.w) << 24) >> 24) + i32x4(t138, t139, t140, t141);
    const i32x4 t144 = i32x4(int(uint(t143.x) << 24) >> 24, int(uint(t143.y) << 24) >> 24, int(uint(t143.z) << 24) >> 24, int(uint(t143.w) << 24) >> 24);
    const int t145 = vd_subgroup_first(t126);
    const int t146 = vd_subgroup_first(t127);
    const int t147 = vd_subgroup_first(t128);
    const int t148 = vd_subgroup_first(t129);
    const i32x4 t149 = t144 + t144;
    const i32x4 t150 = i32x4(int(uint(t149.x) << 24) >> 24, int(uint(t149.y) << 24) >> 24, int(uint(t149.z) << 24) >> 24, int(uint(t149.w) << 24) >> 24) + i32x4(t145, t146, t147, t148);
    i8x4_1[threadIdx.x] = i8x4(i8(t150.x), i8(t150.y), i8(t150.z), i8(t150.w));
    if ((threadIdx.x & 1u) == 1u) {
        const i64 t151 = some[threadIdx.x];
        const i64 t152 = vd_subgroup_reduce(t151, vd_add());
        const i64 t153 = i64(u64(i64(u64(t151) + u64(t151))) + u64(t152));
        const i64 t154 = vd_subgroup_reduce(t151, vd_mul());
        const i64 t155 = i64(u64(i64(u64(t153) + u64(t153))) + u64(t154));
        const i64 t156 = vd_subgroup_reduce(t151, vd_min());
        const i64 t157 = i64(u64(i64(u64(t155) + u64(t155))) + u64(t156));
        const i64 t158 = vd_subgroup_reduce(t151, vd_max());
        const i64 t159 = i64(u64(i64(u64(t157) + u64(t157))) + u64(t158));
        const i64 t160 = __shfl_xor_sync(__activemask(), t151, 1u);
        const i64 t161 = i64(u64(i64(u64(t159) + u64(t159))) + u64(t160));
        const i64 t162 = vd_subgroup_first(t151);
        some[threadIdx.x] = i64(u64(i64(u64(t161) + u64(t161))) + u64(t162));
    }
}
