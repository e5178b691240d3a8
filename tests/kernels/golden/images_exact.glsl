#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

struct u_vd_sample {
    uint flags;
    float bias;
    float lowest;
    float highest;
    uvec4 border;
};
layout(set = 0, binding = 2, scalar) writeonly buffer Block_out_1 { vec4 data[]; } out_1;
layout(set = 0, binding = 0) uniform sampler2DArray layers;
layout(set = 0, binding = 1) uniform isampler1D line;
layout(push_constant, scalar) uniform Block_values {
    layout(offset = 0) u_vd_sample layers_sample;
    layout(offset = 32) u_vd_sample line_sample;
} values;

ivec4 line_size(int vd_level) {
    int vd_levels = textureQueryLevels(line);
    int vd_size = max(textureSize(line, 0) >> clamp(vd_level, 0, vd_levels - 1), 1);
    return ivec4(vd_size, 1, 1, vd_levels);
}
ivec4 line_load(int vd_at, int vd_level) {
    if (uint(vd_level) >= uint(textureQueryLevels(line))) return ivec4(0);
    if (uint(vd_at) >= uint(max(textureSize(line, 0) >> vd_level, 1))) return ivec4(0);
    return texelFetch(line, vd_at, vd_level);
}
vec4 layers_sample_1(vec3 vd_at) {
    return textureLod(layers, vec3((vd_at.xy + 0.5) / vec2(textureSize(layers, 0).xy), vd_at.z), 0.0);
}
void main() {
    const float t0 = float(gl_GlobalInvocationID.x);
    const float t1 = t0 * 0.5;
    const ivec4 t2 = line_size(0);
    const float t3 = min(max(min(max(t1 + values.line_sample.bias, values.line_sample.lowest), values.line_sample.highest), 0.0), float(int(uint(t2.w) - uint(1))));
    const float t4 = (values.line_sample.flags & 4u) != 0u ? ceil(t3 - 0.5) : floor(t3);
    const int t5 = t4 >= 2147483600.0 ? 2147483647 : (t4 > -2147483600.0 ? int(t4) : (t4 <= -2147483600.0 ? (-2147483647 - 1) : 0));
    const uint t6 = values.line_sample.flags >> 8u;
    const int t7 = line_size(t5).x;
    const float t8 = t5 == 0 ? 1.0 : float(t7) / float(t2.x);
    const float t9 = min(max(t1 * t8 + (t8 * 0.5 - 0.5), -1073741800.0), 1073741800.0);
    const float t10 = floor(t9);
    const float t11 = t10 + (t9 - t10 >= 0.5 ? 1.0 : 0.0);
    const int t12 = t11 >= 2147483600.0 ? 2147483647 : (t11 > -2147483600.0 ? int(t11) : (t11 <= -2147483600.0 ? (-2147483647 - 1) : 0));
    const int t13 = int(uint(t7) - uint(1));
    int var0 = max(min(t12, t13), 0);
    const bool t14 = !(uint(t12) < uint(t7));
    if (t14) {
        if (t6 == 0u) {
            const int t15 = t7 == 0 || (t12 == (-2147483647 - 1) && t7 == -1) ? 1 : t7;
            const int t16 = int(uint(t12) - uint(int(uint(t12 / t15) * uint(t15))));
            var0 = int(uint(t16) + uint(t16 != 0 && (t16 ^ t7) < 0 ? t7 : 0));
        }
        if (t6 == 1u) {
            const int t17 = int(uint(t7) + uint(t7));
            const int t18 = t17 == 0 || (t12 == (-2147483647 - 1) && t17 == -1) ? 1 : t17;
            const int t19 = int(uint(t12) - uint(int(uint(t12 / t18) * uint(t18))));
            const int t20 = int(uint(t19) + uint(t19 != 0 && (t19 ^ t17) < 0 ? t17 : 0));
            var0 = min(t20, int(uint(int(uint(t17) - uint(1))) - uint(t20)));
        }
        if (t6 == 4u) {
            var0 = max(min(max(t12, int(uint(-1) - uint(t12))), t13), 0);
        }
    }
    const int t21 = var0;
    ivec4 var1 = ivec4(values.line_sample.border);
    if (!(t14 && t6 == 3u)) {
        var1 = line_load(t21, t5);
    }
    const float t22 = floor(t1);
    out_1.data[gl_GlobalInvocationID.x] = layers_sample_1(vec3((values.layers_sample.flags & 1u) != 0u ? t22 + (t1 - t22 >= 0.5 ? 1.0 : 0.0) : t1, t0, 1.0)) + vec4(var1);
}
