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
__device__ inline i8x4 operator+(i8x4 a, i8x4 b) { return i8x4(i8(u8(a.x) + u8(b.x)), i8(u8(a.y) + u8(b.y)), i8(u8(a.z) + u8(b.z)), i8(u8(a.w) + u8(b.w))); }
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
    const i8 t0 = i8_1[threadIdx.x];
    const int t1 = vd_subgroup_reduce(int(t0), vd_add());
    const i8 t2 = i8(u8(i8(u8(t0) + u8(t0))) + u8(i8(t1)));
    const int t3 = vd_subgroup_reduce(int(t0), vd_mul());
    const i8 t4 = i8(u8(i8(u8(t2) + u8(t2))) + u8(i8(t3)));
    const int t5 = vd_subgroup_reduce(int(t0), vd_min());
    const i8 t6 = i8(u8(i8(u8(t4) + u8(t4))) + u8(i8(t5)));
    const int t7 = vd_subgroup_reduce(int(t0), vd_max());
    const i8 t8 = i8(u8(i8(u8(t6) + u8(t6))) + u8(i8(t7)));
    const int t9 = vd_subgroup_reduce(int(t0), vd_and());
    const i8 t10 = i8(u8(i8(u8(t8) + u8(t8))) + u8(i8(t9)));
    const int t11 = vd_subgroup_reduce(int(t0), vd_or());
    const i8 t12 = i8(u8(i8(u8(t10) + u8(t10))) + u8(i8(t11)));
    const int t13 = vd_subgroup_reduce(int(t0), vd_xor());
    const i8 t14 = i8(u8(i8(u8(t12) + u8(t12))) + u8(i8(t13)));
    const int t15 = __shfl_xor_sync(__activemask(), int(t0), 1u);
    const i8 t16 = i8(u8(i8(u8(t14) + u8(t14))) + u8(i8(t15)));
    const int t17 = vd_subgroup_first(int(t0));
    i8_1[threadIdx.x] = i8(u8(i8(u8(t16) + u8(t16))) + u8(i8(t17)));
    const u8 t18 = u8_1[threadIdx.x];
    const uint t19 = vd_subgroup_reduce(uint(t18), vd_add());
    const u8 t20 = u8(u8(t18 + t18) + u8(t19));
    const uint t21 = vd_subgroup_reduce(uint(t18), vd_mul());
    const u8 t22 = u8(u8(t20 + t20) + u8(t21));
    const uint t23 = vd_subgroup_reduce(uint(t18), vd_min());
    const u8 t24 = u8(u8(t22 + t22) + u8(t23));
    const uint t25 = vd_subgroup_reduce(uint(t18), vd_max());
    const u8 t26 = u8(u8(t24 + t24) + u8(t25));
    const uint t27 = vd_subgroup_reduce(uint(t18), vd_and());
    const u8 t28 = u8(u8(t26 + t26) + u8(t27));
    const uint t29 = vd_subgroup_reduce(uint(t18), vd_or());
    const u8 t30 = u8(u8(t28 + t28) + u8(t29));
    const uint t31 = vd_subgroup_reduce(uint(t18), vd_xor());
    const u8 t32 = u8(u8(t30 + t30) + u8(t31));
    const uint t33 = __shfl_xor_sync(__activemask(), uint(t18), 1u);
    const u8 t34 = u8(u8(t32 + t32) + u8(t33));
    const uint t35 = vd_subgroup_first(uint(t18));
    u8_1[threadIdx.x] = u8(u8(t34 + t34) + u8(t35));
    const i16 t36 = i16_1[threadIdx.x];
    const int t37 = vd_subgroup_reduce(int(t36), vd_add());
    const i16 t38 = i16(u16(i16(u16(t36) + u16(t36))) + u16(i16(t37)));
    const int t39 = vd_subgroup_reduce(int(t36), vd_mul());
    const i16 t40 = i16(u16(i16(u16(t38) + u16(t38))) + u16(i16(t39)));
    const int t41 = vd_subgroup_reduce(int(t36), vd_min());
    const i16 t42 = i16(u16(i16(u16(t40) + u16(t40))) + u16(i16(t41)));
    const int t43 = vd_subgroup_reduce(int(t36), vd_max());
    const i16 t44 = i16(u16(i16(u16(t42) + u16(t42))) + u16(i16(t43)));
    const int t45 = vd_subgroup_reduce(int(t36), vd_and());
    const i16 t46 = i16(u16(i16(u16(t44) + u16(t44))) + u16(i16(t45)));
    const int t47 = vd_subgroup_reduce(int(t36), vd_or());
    const i16 t48 = i16(u16(i16(u16(t46) + u16(t46))) + u16(i16(t47)));
    const int t49 = vd_subgroup_reduce(int(t36), vd_xor());
    const i16 t50 = i16(u16(i16(u16(t48) + u16(t48))) + u16(i16(t49)));
    const int t51 = __shfl_xor_sync(__activemask(), int(t36), 1u);
    const i16 t52 = i16(u16(i16(u16(t50) + u16(t50))) + u16(i16(t51)));
    const int t53 = vd_subgroup_first(int(t36));
    i16_1[threadIdx.x] = i16(u16(i16(u16(t52) + u16(t52))) + u16(i16(t53)));
    const u16 t54 = u16_1[threadIdx.x];
    const uint t55 = vd_subgroup_reduce(uint(t54), vd_add());
    const u16 t56 = u16(u16(t54 + t54) + u16(t55));
    const uint t57 = vd_subgroup_reduce(uint(t54), vd_mul());
    const u16 t58 = u16(u16(t56 + t56) + u16(t57));
    const uint t59 = vd_subgroup_reduce(uint(t54), vd_min());
    const u16 t60 = u16(u16(t58 + t58) + u16(t59));
    const uint t61 = vd_subgroup_reduce(uint(t54), vd_max());
    const u16 t62 = u16(u16(t60 + t60) + u16(t61));
    const uint t63 = vd_subgroup_reduce(uint(t54), vd_and());
    const u16 t64 = u16(u16(t62 + t62) + u16(t63));
    const uint t65 = vd_subgroup_reduce(uint(t54), vd_or());
    const u16 t66 = u16(u16(t64 + t64) + u16(t65));
    const uint t67 = vd_subgroup_reduce(uint(t54), vd_xor());
    const u16 t68 = u16(u16(t66 + t66) + u16(t67));
    const uint t69 = __shfl_xor_sync(__activemask(), uint(t54), 1u);
    const u16 t70 = u16(u16(t68 + t68) + u16(t69));
    const uint t71 = vd_subgroup_first(uint(t54));
    u16_1[threadIdx.x] = u16(u16(t70 + t70) + u16(t71));
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
    const int t126 = vd_subgroup_reduce(int(t125.x), vd_add());
    const int t127 = vd_subgroup_reduce(int(t125.y), vd_add());
    const int t128 = vd_subgroup_reduce(int(t125.z), vd_add());
    const int t129 = vd_subgroup_reduce(int(t125.w), vd_add());
    const i8x4 t130 = t125 + t125 + i8x4(i8(t126), i8(t127), i8(t128), i8(t129));
    const int t131 = __shfl_xor_sync(__activemask(), int(t125.x), 1u);
    const int t132 = __shfl_xor_sync(__activemask(), int(t125.y), 1u);
    const int t133 = __shfl_xor_sync(__activemask(), int(t125.z), 1u);
    const int t134 = __shfl_xor_sync(__activemask(), int(t125.w), 1u);
    const i8x4 t135 = t130 + t130 + i8x4(i8(t131), i8(t132), i8(t133), i8(t134));
    const int t136 = vd_subgroup_first(int(t125.x));
    const int t137 = vd_subgroup_first(int(t125.y));
    const int t138 = vd_subgroup_first(int(t125.z));
    const int t139 = vd_subgroup_first(int(t125.w));
    i8x4_1[threadIdx.x] = t135 + t135 + i8x4(i8(t136), i8(t137), i8(t138), i8(t139));
    if ((threadIdx.x & 1u) == 1u) {
        const i64 t140 = some[threadIdx.x];
        const i64 t141 = vd_subgroup_reduce(t140, vd_add());
        const i64 t142 = i64(u64(i64(u64(t140) + u64(t140))) + u64(t141));
        const i64 t143 = vd_subgroup_reduce(t140, vd_mul());
        const i64 t144 = i64(u64(i64(u64(t142) + u64(t142))) + u64(t143));
        const i64 t145 = vd_subgroup_reduce(t140, vd_min());
        const i64 t146 = i64(u64(i64(u64(t144) + u64(t144))) + u64(t145));
        const i64 t147 = vd_subgroup_reduce(t140, vd_max());
        const i64 t148 = i64(u64(i64(u64(t146) + u64(t146))) + u64(t147));
        const i64 t149 = __shfl_xor_sync(__activemask(), t140, 1u);
        const i64 t150 = i64(u64(i64(u64(t148) + u64(t148))) + u64(t149));
        const i64 t151 = vd_subgroup_first(t140);
        some[threadIdx.x] = i64(u64(i64(u64(t150) + u64(t150))) + u64(t151));
    }
}
