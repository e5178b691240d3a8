#version 450
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_x { int16_t data[]; } x;
layout(set = 0, binding = 1, scalar) buffer Block_y { uint16_t data[]; } y;

void main() {
    const int16_t t0 = x.data[gl_GlobalInvocationID.x];
    const uint t1 = gl_GlobalInvocationID.x + 1u;
    const int16_t t2 = x.data[t1];
    const uint16_t t3 = y.data[gl_GlobalInvocationID.x];
    const uint16_t t4 = y.data[t1];
    x.data[100u] = t0 + t2;
    y.data[101u] = t3 + t4;
    x.data[102u] = t0 - t2;
    y.data[103u] = t3 - t4;
    x.data[104u] = t0 * t2;
    y.data[105u] = t3 * t4;
    const int16_t t5 = t2 == int16_t(0) || (t0 == int16_t(-32768) && t2 == int16_t(-1)) ? int16_t(1) : t2;
    const int16_t t6 = t0 / t5;
    const int16_t t7 = t0 - t6 * t5;
    x.data[106u] = t6;
    const uint16_t t8 = t4 == uint16_t(0) ? uint16_t(1) : t4;
    const uint16_t t9 = t3 / t8;
    y.data[107u] = t9;
    x.data[108u] = t7;
    y.data[109u] = t3 % t8;
    x.data[110u] = t6 - (t7 != int16_t(0) && (t7 ^ t2) < int16_t(0) ? int16_t(1) : int16_t(0));
    y.data[111u] = t9;
    x.data[112u] = min(t0, t2);
    y.data[113u] = min(t3, t4);
    x.data[114u] = max(t0, t2);
    y.data[115u] = max(t3, t4);
    x.data[116u] = t0 & t2;
    y.data[117u] = t3 & t4;
    x.data[118u] = t0 ^ t2;
    y.data[119u] = t3 ^ t4;
    const int16_t t10 = t2 & int16_t(15);
    x.data[120u] = t0 << t10;
    const uint16_t t11 = t4 & uint16_t(15);
    y.data[121u] = t3 << t11;
    x.data[122u] = t0 >> t10;
    y.data[123u] = t3 >> t11;
    x.data[124u] = -t0;
    y.data[125u] = -t3;
    x.data[126u] = abs(t0);
    y.data[127u] = t3;
    x.data[128u] = t0 > int16_t(0) ? int16_t(1) : (t0 < int16_t(0) ? int16_t(-1) : int16_t(0));
    y.data[129u] = min(t3, uint16_t(1));
    x.data[130u] = ~t0;
    y.data[131u] = ~t3;
    x.data[132u] = int16_t(uint16_t(uint(bitCount(uint(uint16_t(t0))))));
    y.data[133u] = uint16_t(uint(bitCount(uint(t3))));
    x.data[134u] = int16_t(uint16_t(uint(31 - findMSB(uint(uint16_t(t0)))) - 16u));
    y.data[135u] = uint16_t(uint(31 - findMSB(uint(t3))) - 16u);
    x.data[136u] = int16_t(uint16_t(uint(bitCount(uint(uint16_t((t0 & -t0) - int16_t(1)))))));
    y.data[137u] = uint16_t(uint(bitCount(uint((t3 & -t3) - uint16_t(1)))));
    x.data[138u] = int16_t(uint16_t(bitfieldReverse(uint(uint16_t(t0))) >> 16u));
    y.data[139u] = uint16_t(bitfieldReverse(uint(t3)) >> 16u);
    x.data[140u] = int16_t(y.data[0u]);
    const float t12 = float(t0);
    y.data[141u] = uint16_t(min(t12 >= 4294967300.0 ? 4294967295u : (t12 > 0.0 ? uint(t12) : 0u), 65535u));
    const float t13 = float(t3);
    x.data[142u] = int16_t(max(min(t13 >= 2147483600.0 ? 2147483647 : (t13 > -2147483600.0 ? int(t13) : (t13 <= -2147483600.0 ? (-2147483647 - 1) : 0)), 32767), -32768));
    x.data[143u] = int16_t(t3);
    x.data[144u] = t0 < t2 ? int16_t(7) : int16_t(-7);
    const i16vec2 t14 = i16vec2(t0, t2);
    x.data[145u] = (t14 * t14 + -t14).y;
}
