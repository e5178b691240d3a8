typedef short i16;
typedef unsigned short u16;
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

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(i16* x, u16* y) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const int t0 = int(x[global_id_x]);
    const uint t1 = global_id_x + 1u;
    const int t2 = int(x[t1]);
    const u16 t3 = y[global_id_x];
    const uint t4 = uint(t3);
    const uint t5 = uint(y[t1]);
    x[100u] = i16(int(uint(t0) + uint(t2)));
    y[101u] = u16(t4 + t5);
    x[102u] = i16(int(uint(t0) - uint(t2)));
    y[103u] = u16(t4 - t5);
    x[104u] = i16(int(uint(t0) * uint(t2)));
    y[105u] = u16(t4 * t5);
    const int t6 = t2 == 0 || (t0 == -32768 && t2 == -1) ? 1 : t2;
    const int t7 = t0 / t6;
    const int t8 = int(uint(t0) - uint(int(uint(int(uint(t7) * uint(t6))) << 16) >> 16));
    const int t9 = int(uint(t8) << 16) >> 16;
    x[106u] = i16(t7);
    const uint t10 = t5 == 0u ? 1u : t5;
    const u16 t11 = u16(t4 / t10);
    y[107u] = t11;
    x[108u] = i16(t8);
    y[109u] = u16(t4 % t10);
    x[110u] = i16(t9 != 0 && (t9 ^ t2) < 0 ? int(uint(int(uint(t7) - uint(1))) << 16) >> 16 : t7);
    y[111u] = t11;
    x[112u] = i16(min(t0, t2));
    y[113u] = u16(min(t4, t5));
    x[114u] = i16(max(t0, t2));
    y[115u] = u16(max(t4, t5));
    x[116u] = i16(t0 & t2);
    y[117u] = u16(t4 & t5);
    x[118u] = i16(t0 ^ t2);
    y[119u] = u16(t4 ^ t5);
    const int t12 = t2 & 15;
    x[120u] = i16(int(uint(t0) << t12));
    const uint t13 = t5 & 15u;
    y[121u] = u16(t4 << t13);
    x[122u] = i16(t0 >> t12);
    y[123u] = u16(t4 >> t13);
    x[124u] = i16(int(~__umulhi(uint(t0), 4294967295u) + uint(t0 == 0)));
    y[125u] = u16(~__umulhi(t4, 4294967295u) + uint(t4 == 0u));
    x[126u] = i16(int(uint(t0) - (uint(min(t0, 0)) << 1u)));
    y[127u] = t3;
    x[128u] = i16(t0 > 0 ? 1 : (t0 < 0 ? -1 : 0));
    y[129u] = u16(min(t4, 1u));
    x[130u] = i16(~t0);
    y[131u] = u16(~t4);
    x[132u] = i16(int(uint(__popc(uint(t0 & 65535)))));
    y[133u] = u16(uint(__popc(t4)));
    x[134u] = i16(int(uint(int(uint(__clz(int(uint(t0 & 65535)))))) - uint(16)));
    y[135u] = u16(uint(__clz(int(t4))) - 16u);
    const int t14 = t0 | 65536;
    x[136u] = i16(int(uint(__popc(uint(int(uint(t14 & int(0 - uint(t14))) - uint(1)))))));
    const uint t15 = t4 | 65536u;
    y[137u] = u16(uint(__popc((t15 & -t15) - 1u)));
    x[138u] = i16(int(__brev(uint(t0))) >> 16);
    y[139u] = u16(__brev(t4) >> 16u);
    x[140u] = i16(int(uint(y[0u])));
    y[141u] = u16(min(__float2uint_rz(float(t0)), 65535u));
    x[142u] = i16(max(min(__float2int_rz(float(t4)), 32767), -32768));
    x[143u] = i16(int(t4));
    x[144u] = i16(t0 < t2 ? 7 : -7);
    const i32x2 t16 = i32x2(t0, t2);
    const u32x2 t17 = vd_bitcast<u32x2>(t16);
    const i32x2 t18 = vd_bitcast<i32x2>(u32x2(~__umulhi(t17.x, 4294967295u), ~__umulhi(t17.y, 4294967295u)) + u32x2(uint(t0 == 0), uint(t2 == 0)));
    const i32x2 t19 = t16 * t16;
    const i32x2 t20 = i32x2(int(uint(t19.x) << 16) >> 16, int(uint(t19.y) << 16) >> 16) + i32x2(int(uint(t18.x) << 16) >> 16, int(uint(t18.y) << 16) >> 16);
    x[145u] = i16(i32x2(int(uint(t20.x) << 16) >> 16, int(uint(t20.y) << 16) >> 16).y);
}
