typedef signed char i8;
typedef unsigned char u8;
typedef unsigned int uint;
struct __align__(8) i32x2 {
    int x, y;
    i32x2() = default;
    __device__ i32x2(int x, int y) : x(x), y(y) {}
    __device__ explicit i32x2(int s) : x(s), y(s) {}
    __device__ int& operator[](uint i) { return (&x)[i]; }
    __device__ int operator[](uint i) const { return (&x)[i]; }
};
__device__ inline i32x2 operator+(i32x2 a, i32x2 b) { return i32x2(int(uint(a.x) + uint(b.x)), int(uint(a.y) + uint(b.y))); }
__device__ inline i32x2 operator*(i32x2 a, i32x2 b) { return i32x2(int(uint(a.x) * uint(b.x)), int(uint(a.y) * uint(b.y))); }
struct __align__(8) u32x2 {
    uint x, y;
    u32x2() = default;
    __device__ u32x2(uint x, uint y) : x(x), y(y) {}
    __device__ explicit u32x2(uint s) : x(s), y(s) {}
    __device__ uint& operator[](uint i) { return (&x)[i]; }
    __device__ uint operator[](uint i) const { return (&x)[i]; }
};
__device__ inline u32x2 operator+(u32x2 a, u32x2 b) { return u32x2(uint(a.x + b.x), uint(a.y + b.y)); }
template <class T, class S> __device__ inline T vd_bitcast(S s) {
    T t;
    memcpy(&t, &s, sizeof(T));
    return t;
}

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(i8* x, u8* y) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const int t0 = int(x[global_id_x]);
    const uint t1 = global_id_x + 1u;
    const int t2 = int(x[t1]);
    const u8 t3 = y[global_id_x];
    const uint t4 = uint(t3);
    const uint t5 = uint(y[t1]);
    x[100u] = i8(int(uint(t0) + uint(t2)));
    y[101u] = u8(t4 + t5);
    x[102u] = i8(int(uint(t0) - uint(t2)));
    y[103u] = u8(t4 - t5);
    x[104u] = i8(int(uint(t0) * uint(t2)));
    y[105u] = u8(t4 * t5);
    const int t6 = t2 == 0 || (t0 == -128 && t2 == -1) ? 1 : t2;
    const int t7 = t0 / t6;
    const int t8 = int(uint(t0) - uint(int(uint(int(uint(t7) * uint(t6))) << 24) >> 24));
    const int t9 = int(uint(t8) << 24) >> 24;
    x[106u] = i8(t7);
    const uint t10 = t5 == 0u ? 1u : t5;
    const u8 t11 = u8(t4 / t10);
    y[107u] = t11;
    x[108u] = i8(t8);
    y[109u] = u8(t4 % t10);
    x[110u] = i8(t9 != 0 && (t9 ^ t2) < 0 ? int(uint(int(uint(t7) - uint(1))) << 24) >> 24 : t7);
    y[111u] = t11;
    x[112u] = i8(min(t0, t2));
    y[113u] = u8(min(t4, t5));
    x[114u] = i8(max(t0, t2));
    y[115u] = u8(max(t4, t5));
    x[116u] = i8(t0 & t2);
    y[117u] = u8(t4 & t5);
    x[118u] = i8(t0 ^ t2);
    y[119u] = u8(t4 ^ t5);
    const int t12 = t2 & 7;
    x[120u] = i8(int(uint(t0) << t12));
    const uint t13 = t5 & 7u;
    y[121u] = u8(t4 << t13);
    x[122u] = i8(t0 >> t12);
    y[123u] = u8(t4 >> t13);
    x[124u] = i8(int(~__umulhi(uint(t0), 4294967295u) + uint(t0 == 0)));
    y[125u] = u8(~__umulhi(t4, 4294967295u) + uint(t4 == 0u));
    x[126u] = i8(int(uint(t0) - (uint(min(t0, 0)) << 1u)));
    y[127u] = t3;
    x[128u] = i8(t0 > 0 ? 1 : (t0 < 0 ? -1 : 0));
    y[129u] = u8(min(t4, 1u));
    x[130u] = i8(~t0);
    y[131u] = u8(~t4);
    x[132u] = i8(int(uint(__popc(uint(t0 & 255)))));
    y[133u] = u8(uint(__popc(t4)));
    x[134u] = i8(int(uint(int(uint(__clz(int(uint(t0 & 255)))))) - uint(24)));
    y[135u] = u8(uint(__clz(int(t4))) - 24u);
    const int t14 = t0 | 256;
    x[136u] = i8(int(uint(__popc(uint(int(uint(t14 & int(0 - uint(t14))) - uint(1)))))));
    const uint t15 = t4 | 256u;
    y[137u] = u8(uint(__popc((t15 & -t15) - 1u)));
    x[138u] = i8(int(__brev(uint(t0))) >> 24);
    y[139u] = u8(__brev(t4) >> 24u);
    x[140u] = i8(int(uint(y[0u])));
    y[141u] = u8(min(__float2uint_rz(float(t0)), 255u));
    x[142u] = i8(max(min(__float2int_rz(float(t4)), 127), -128));
    x[143u] = i8(int(t4));
    x[144u] = i8(t0 < t2 ? 7 : -7);
    const i32x2 t16 = i32x2(t0, t2);
    const u32x2 t17 = vd_bitcast<u32x2>(t16);
    const i32x2 t18 = vd_bitcast<i32x2>(u32x2(~__umulhi(t17.x, 4294967295u), ~__umulhi(t17.y, 4294967295u)) + u32x2(uint(t0 == 0), uint(t2 == 0)));
    const i32x2 t19 = t16 * t16;
    const i32x2 t20 = i32x2(int(uint(t19.x) << 24) >> 24, int(uint(t19.y) << 24) >> 24) + i32x2(int(uint(t18.x) << 24) >> 24, int(uint(t18.y) << 24) >> 24);
    x[145u] = i8(i32x2(int(uint(t20.x) << 24) >> 24, int(uint(t20.y) << 24) >> 24).y);
}
