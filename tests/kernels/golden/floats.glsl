#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_x { float data[]; } x;
layout(set = 0, binding = 1, scalar) writeonly buffer Block_n { int data[]; } n;

void main() {
    const float t0 = x.data[gl_GlobalInvocationID.x];
    const float t1 = x.data[gl_GlobalInvocationID.x + 1u];
    const float t2 = x.data[gl_GlobalInvocationID.x + 2u];
    x.data[100u] = t0 + t1;
    x.data[101u] = t0 - t1;
    x.data[102u] = t0 * t1;
    const float t3 = t0 / t1;
    x.data[103u] = t3;
    x.data[104u] = min(t0, t1);
    const float t4 = max(t0, t1);
    x.data[105u] = t4;
    x.data[106u] = t0 - t1 * floor(t3);
    x.data[107u] = t1 < t0 ? 0.0 : 1.0;
    x.data[108u] = -t0;
    x.data[109u] = abs(t0);
    x.data[110u] = t0 > 0.0 ? 1.0 : (t0 < 0.0 ? -1.0 : 0.0);
    const float t5 = floor(t0);
    x.data[111u] = t5;
    x.data[112u] = ceil(t0);
    x.data[113u] = trunc(t0);
    x.data[114u] = roundEven(t0);
    x.data[115u] = t0 - t5;
    x.data[116u] = t0 * 0.017453292;
    x.data[117u] = t0 * 57.29578;
    x.data[118u] = sqrt(t0);
    x.data[119u] = inversesqrt(t0);
    x.data[120u] = fma(t0, t1, t2);
    x.data[121u] = min(t4, t2);
    const float t6 = t1 - t0;
    const float t7 = min(max((t2 - t0) / t6, 0.0), 1.0);
    x.data[122u] = t0 == t1 ? (t2 < t0 ? 0.0 : 1.0) : t7 * t7 * (3.0 - t7 * 2.0);
    x.data[123u] = t0 + t6 * t2;
    x.data[124u] = t0 != t0 || abs(t1) == uintBitsToFloat(0x7f800000u) ? t0 : t1;
    x.data[125u] = uintBitsToFloat(0x7f800000u);
    x.data[126u] = uintBitsToFloat(0x7fc00000u);
    x.data[127u] = uintBitsToFloat(0x00000001u);
    x.data[128u] = 1e-30;
    x.data[129u] = -0.0;
    x.data[130u] = 16777216.0;
    x.data[131u] = 1.0;
    x.data[132u] = t0 - (t1 - t2);
    x.data[133u] = t0 / (t1 * t2);
    n.data[gl_GlobalInvocationID.x] = t0 >= 2147483600.0 ? 2147483647 : (t0 > -2147483600.0 ? int(t0) : (t0 <= -2147483600.0 ? (-2147483647 - 1) : 0));
    n.data[1u] = int(t1 >= 4294967300.0 ? 4294967295u : (t1 > 0.0 ? uint(t1) : 0u));
    n.data[2u] = floatBitsToInt(t0);
    n.data[3u] = int(t0 >= t1);
}
