typedef short i16;
typedef unsigned short u16;
typedef unsigned int uint;
struct __align__(4) i16x2 {
    i16 x, y;
    i16x2() = default;
    __device__ i16x2(i16 x, i16 y) : x(x), y(y) {}
    __device__ explicit i16x2(i16 s) : x(s), y(s) {}
    __device__ i16& operator[](uint i) { return (&x)[i]; }
    __device__ i16 operator[](uint i) const { return (&x)[i]; }
};
__device__ inline i16x2 operator+(i16x2 a, i16x2 b) { return i16x2(i16(u16(a.x) + u16(b.x)), i16(u16(a.y) + u16(b.y))); }
__device__ inline i16x2 operator*(i16x2 a, i16x2 b) { return i16x2(i16(u16(a.x) * u16(b.x)), i16(u16(a.y) * u16(b.y))); }
__device__ inline i16x2 operator-(i16x2 a) { return i16x2(i16(0 - u16(a.x)), i16(0 - u16(a.y))); }

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(i16* x, u16* y) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const i16 t0 = x[global_id_x];
    const uint t1 = global_id_x + 1u;
    const i16 t2 = x[t1];
    const u16 t3 = y[global_id_x];
    const u16 t4 = y[t1];
    x[100u] = i16(u16(t0) + u16(t2));
    y[101u] = u16(t3 + t4);
    x[102u] = i16(u16(t0) - u16(t2));
    y[103u] = u16(t3 - t4);
    x[104u] = i16(uint(t0) * uint(t2));
    y[105u] = u16(uint(t3) * uint(t4));
    const i16 t5 = t2 == i16(0) || (t0 == i16(-32768) && t2 == i16(-1)) ? i16(1) : t2;
    const i16 t6 = i16(t0 / t5);
    const i16 t7 = i16(u16(t0) - u16(i16(uint(t6) * uint(t5))));
    x[106u] = t6;
    const u16 t8 = t4 == u16(0) ? u16(1) : t4;
    const u16 t9 = u16(t3 / t8);
    y[107u] = t9;
    x[108u] = t7;
    y[109u] = u16(t3 % t8);
    x[110u] = i16(u16(t6) - u16(t7 != i16(0) && i16(t7 ^ t2) < i16(0) ? i16(1) : i16(0)));
    y[111u] = t9;
    x[112u] = t2 < t0 ? t2 : t0;
    y[113u] = t4 < t3 ? t4 : t3;
    x[114u] = t0 < t2 ? t2 : t0;
    y[115u] = t3 < t4 ? t4 : t3;
    x[116u] = i16(t0 & t2);
    y[117u] = u16(t3 & t4);
    x[118u] = i16(t0 ^ t2);
    y[119u] = u16(t3 ^ t4);
    const i16 t10 = i16(t2 & i16(15));
    x[120u] = i16(u16(t0) << t10);
    const u16 t11 = u16(t4 & u16(15));
    y[121u] = u16(u16(t3) << t11);
    x[122u] = i16(t0 >> t10);
    y[123u] = u16(t3 >> t11);
    x[124u] = i16(0 - u16(t0));
    y[125u] = u16(-t3);
    x[126u] = t0 < i16(0) ? i16(0 - u16(t0)) : t0;
    y[127u] = t3;
    x[128u] = t0 > i16(0) ? i16(1) : (t0 < i16(0) ? i16(-1) : i16(0));
    y[129u] = u16(1) < t3 ? u16(1) : t3;
    x[130u] = i16(~t0);
    y[131u] = u16(~t3);
    x[132u] = i16(u16(uint(__popc(uint(u16(t0))))));
    y[133u] = u16(uint(__popc(uint(t3))));
    x[134u] = i16(u16(uint(__clz(int(uint(u16(t0))))) - 16u));
    y[135u] = u16(uint(__clz(int(uint(t3)))) - 16u);
    x[136u] = i16(u16(uint(__popc(uint(u16(i16(u16(i16(t0 & i16(0 - u16(t0)))) - u16(i16(1)))))))));
    y[137u] = u16(uint(__popc(uint(u16(u16(t3 & u16(-t3)) - u16(1))))));
    x[138u] = i16(u16(__brev(uint(u16(t0))) >> 16u));
    y[139u] = u16(__brev(uint(t3)) >> 16u);
    x[140u] = i16(y[0u]);
    y[141u] = u16(min(__float2uint_rz(float(t0)), 65535u));
    x[142u] = i16(max(min(__float2int_rz(float(t3)), 32767), -32768));
    x[143u] = i16(t3);
    x[144u] = t0 < t2 ? i16(7) : i16(-7);
    const i16x2 t12 = i16x2(t0, t2);
    x[145u] = (t12 * t12 + -t12).y;
}
