#version 450
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_x { int16_t data[]; } x;
layout(set = 0, binding = 1, scalar) buffer Block_y { uint16_t data[]; } y;

uint vd_mul_high(uint a, uint b) {
    uint high, low;
    umulExtended(a, b, high, low);
    return high;
}
void main() {
    const int t0 = int(x.data[gl_GlobalInvocationID.x]);
    const uint t1 = gl_GlobalInvocationID.x + 1u;
    const int t2 = int(x.data[t1]);
    const uint16_t t3 = y.data[gl_GlobalInvocationID.x];
    const uint t4 = uint(t3);
    const uint t5 = uint(y.data[t1]);
    x.data[100u] = int16_t(int(uint(t0) + uint(t2)));
    y.data[101u] = uint16_t(t4 + t5);
    x.data[102u] = int16_t(int(uint(t0) - uint(t2)));
    y.data[103u] = uint16_t(t4 - t5);
    x.data[104u] = int16_t(int(uint(t0) * uint(t2)));
    y.data[105u] = uint16_t(t4 * t5);
    const int t6 = t2 == 0 || (t0 == -32768 && t2 == -1) ? 1 : t2;
    const int t7 = t0 / t6;
    const int t8 = int(uint(t0) - uint(int(uint(int(uint(t7) * uint(t6))) << 16) >> 16));
    const int t9 = int(uint(t8) << 16) >> 16;
    x.data[106u] = int16_t(t7);
    const uint t10 = t5 == 0u ? 1u : t5;
    const uint16_t t11 = uint16_t(t4 / t10);
    y.data[107u] = t11;
    x.data[108u] = int16_t(t8);
    y.data[109u] = uint16_t(t4 % t10);
    x.data[110u] = int16_t(t9 != 0 && (t9 ^ t2) < 0 ? int(uint(int(uint(t7) - uint(1))) << 16) >> 16 : t7);
    y.data[111u] = t11;
    x.data[112u] = int16_t(min(t0, t2));
    y.data[113u] = uint16_t(min(t4, t5));
    x.data[114u] = int16_t(max(t0, t2));
    y.data[115u] = uint16_t(max(t4, t5));
    x.data[116u] = int16_t(t0 & t2);
    y.data[117u] = uint16_t(t4 & t5);
    x.data[118u] = int16_t(t0 ^ t2);
    y.data[119u] = uint16_t(t4 ^ t5);
    const int t12 = t2 & 15;
    x.data[120u] = int16_t(int(uint(t0) << t12));
    const uint t13 = t5 & 15u;
    y.data[121u] = uint16_t(t4 << t13);
    x.data[122u] = int16_t(t0 >> t12);
    y.data[123u] = uint16_t(t4 >> t13);
    x.data[124u] = int16_t(int(~vd_mul_high(uint(t0), 4294967295u) + uint(t0 == 0)));
    y.data[125u] = uint16_t(~vd_mul_high(t4, 4294967295u) + uint(t4 == 0u));
    x.data[126u] = int16_t(int(uint(t0) - (uint(min(t0, 0)) << 1u)));
    y.data[127u] = t3;
    x.data[128u] = int16_t(t0 > 0 ? 1 : (t0 < 0 ? -1 : 0));
    y.data[129u] = uint16_t(min(t4, 1u));
    x.data[130u] = int16_t(~t0);
    y.data[131u] = uint16_t(~t4);
    x.data[132u] = int16_t(int(uint(bitCount(uint(t0 & 65535)))));
    y.data[133u] = uint16_t(uint(bitCount(t4)));
    x.data[134u] = int16_t(int(uint(int(uint(31 - findMSB(uint(t0 & 65535))))) - uint(16)));
    y.data[135u] = uint16_t(uint(31 - findMSB(t4)) - 16u);
    const int t14 = t0 | 65536;
    x.data[136u] = int16_t(int(uint(bitCount(uint(int(uint(t14 & int(-uint(t14))) - uint(1)))))));
    const uint t15 = t4 | 65536u;
    y.data[137u] = uint16_t(uint(bitCount((t15 & -t15) - 1u)));
    x.data[138u] = int16_t(int(bitfieldReverse(uint(t0))) >> 16);
    y.data[139u] = uint16_t(bitfieldReverse(t4) >> 16u);
    x.data[140u] = int16_t(int(uint(y.data[0u])));
    const float t16 = float(t0);
    y.data[141u] = uint16_t(min(t16 >= 4294967300.0 ? 4294967295u : (t16 > 0.0 ? uint(t16) : 0u), 65535u));
    const float t17 = float(t4);
    x.data[142u] = int16_t(max(min(t17 >= 2147483600.0 ? 2147483647 : (t17 > -2147483600.0 ? int(t17) : (t17 <= -2147483600.0 ? (-2147483647 - 1) : 0)), 32767), -32768));
    x.data[143u] = int16_t(int(t4));
    x.data[144u] = int16_t(t0 < t2 ? 7 : -7);
    const ivec2 t18 = ivec2(t0, t2);
    const uvec2 t19 = uvec2(t18);
    const ivec2 t20 = ivec2(uvec2(ivec2(uvec2(ivec2(uvec2(t18) * uvec2(t18))) << ivec2(16)) >> ivec2(16)) + uvec2(ivec2(uvec2(ivec2(~uvec2(vd_mul_high(t19.x, 4294967295u), vd_mul_high(t19.y, 4294967295u)) + uvec2(equal(t18, ivec2(0))))) << ivec2(16)) >> ivec2(16)));
    x.data[145u] = int16_t((ivec2(uvec2(t20) << ivec2(16)) >> ivec2(16)).y);
}
