typedef signed char i8;
typedef unsigned char u8;
typedef unsigned int uint;
struct __align__(2) i8x2 {
    i8 x, y;
    i8x2() = default;
    __device__ i8x2(i8 x, i8 y) : x(x), y(y) {}
    __device__ explicit i8x2(i8 s) : x(s), y(s) {}
    __device__ i8& operator[](uint i) { return (&x)[i]; }
    __device__ i8 operator[](uint i) const { return (&x)[i]; }
};
__device__ inline i8x2 operator+(i8x2 a, i8x2 b) { return i8x2(i8(u8(a.x) + u8(b.x)), i8(u8(a.y) + u8(b.y))); }
__device__ inline i8x2 operator*(i8x2 a, i8x2 b) { return i8x2(i8(u8(a.x) * u8(b.x)), i8(u8(a.y) * u8(b.y))); }
__device__ inline i8x2 operator-(i8x2 a) { return i8x2(i8(0 - u8(a.x)), i8(0 - u8(a.y))); }

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(i8* x, u8* y) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const i8 t0 = x[global_id_x];
    const uint t1 = global_id_x + 1u;
    const i8 t2 = x[t1];
    const u8 t3 = y[global_id_x];
    const u8 t4 = y[t1];
    x[100u] = i8(u8(t0) + u8(t2));
    y[101u] = u8(t3 + t4);
    x[102u] = i8(u8(t0) - u8(t2));
    y[103u] = u8(t3 - t4);
    x[104u] = i8(u8(t0) * u8(t2));
    y[105u] = u8(t3 * t4);
    const i8 t5 = t2 == i8(0) || (t0 == i8(-128) && t2 == i8(-1)) ? i8(1) : t2;
    const i8 t6 = i8(t0 / t5);
    const i8 t7 = i8(u8(t0) - u8(i8(u8(t6) * u8(t5))));
    x[106u] = t6;
    const u8 t8 = t4 == u8(0) ? u8(1) : t4;
    const u8 t9 = u8(t3 / t8);
    y[107u] = t9;
    x[108u] = t7;
    y[109u] = u8(t3 % t8);
    x[110u] = i8(u8(t6) - u8(t7 != i8(0) && i8(t7 ^ t2) < i8(0) ? i8(1) : i8(0)));
    y[111u] = t9;
    x[112u] = t2 < t0 ? t2 : t0;
    y[113u] = t4 < t3 ? t4 : t3;
    x[114u] = t0 < t2 ? t2 : t0;
    y[115u] = t3 < t4 ? t4 : t3;
    x[116u] = i8(t0 & t2);
    y[117u] = u8(t3 & t4);
    x[118u] = i8(t0 ^ t2);
    y[119u] = u8(t3 ^ t4);
    const i8 t10 = i8(t2 & i8(7));
    x[120u] = i8(u8(t0) << t10);
    const u8 t11 = u8(t4 & u8(7));
    y[121u] = u8(u8(t3) << t11);
    x[122u] = i8(t0 >> t10);
    y[123u] = u8(t3 >> t11);
    x[124u] = i8(0 - u8(t0));
    y[125u] = u8(-t3);
    x[126u] = t0 < i8(0) ? i8(0 - u8(t0)) : t0;
    y[127u] = t3;
    x[128u] = t0 > i8(0) ? i8(1) : (t0 < i8(0) ? i8(-1) : i8(0));
    y[129u] = u8(1) < t3 ? u8(1) : t3;
    x[130u] = i8(~t0);
    y[131u] = u8(~t3);
    x[132u] = i8(u8(uint(__popc(uint(u8(t0))))));
    y[133u] = u8(uint(__popc(uint(t3))));
    x[134u] = i8(u8(uint(__clz(int(uint(u8(t0))))) - 24u));
    y[135u] = u8(uint(__clz(int(uint(t3)))) - 24u);
    x[136u] = i8(u8(uint(__popc(uint(u8(i8(u8(i8(t0 & i8(0 - u8(t0)))) - u8(i8(1)))))))));
    y[137u] = u8(uint(__popc(uint(u8(u8(t3 & u8(-t3)) - u8(1))))));
    x[138u] = i8(u8(__brev(uint(u8(t0))) >> 24u));
    y[139u] = u8(__brev(uint(t3)) >> 24u);
    x[140u] = i8(y[0u]);
    y[141u] = u8(min(__float2uint_rz(float(t0)), 255u));
    x[142u] = i8(max(min(__float2int_rz(float(t3)), 127), -128));
    x[143u] = i8(t3);
    x[144u] = t0 < t2 ? i8(7) : i8(-7);
    const i8x2 t12 = i8x2(t0, t2);
    x[145u] = (t12 * t12 + -t12).y;
}
