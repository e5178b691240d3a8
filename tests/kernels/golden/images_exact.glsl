#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

struct u_vd_sample {
    uvec4 flags;
    vec4 level;
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
ivec4 line_sample_1(float vd_at, float vd_level) {
    return textureLod(line, (vd_at + 0.5) / float(textureSize(line, 0)), vd_level);
}
vec4 layers_sample_1(vec3 vd_at) {
    return textureLod(layers, vec3((vd_at.xy + 0.5) / vec2(textureSize(layers, 0).xy), vd_at.z), 0.0);
}
void main() {
    const float t0 = float(gl_GlobalInvocationID.x);
    const float t1 = t0 * 0.5;
    const float t2 = min(max(t1 + values.line_sample.level.x, values.line_sample.level.y), values.line_sample.level.z);
    const bool t3 = t2 <= 0.0;
    const uint t4 = values.line_sample.flags.x;
    const bool t5 = (t3 && (t4 & 1u) != 0u) || (!t3 && (t4 & 2u) != 0u);
    const ivec4 t6 = line_size(0);
    const float t7 = min(max(t2, 0.0), float(int(uint(t6.w) - uint(1))));
    const bool t8 = (t4 & 4u) != 0u;
    const float t9 = t8 ? ceil(t7 - 0.5) : floor(t7);
    const int t10 = t9 >= 2147483600.0 ? 2147483647 : (t9 > -2147483600.0 ? int(t9) : (t9 <= -2147483600.0 ? (-2147483647 - 1) : 0));
    const bool t11 = t10 == 0;
    const float t12 = float(line_size(t10).x);
    const float t13 = float(t6.x);
    const float t14 = t11 ? 1.0 : t12 / t13;
    const float t15 = t11 ? 1.0 : t13 / t12;
    const float t16 = t1 * t14 + (t14 * 0.5 - 0.5);
    const float t17 = floor(t16);
    const vec4 t18 = vec4(line_sample_1(t5 ? (t17 + (t16 - t17 >= 0.5 ? 1.0 : 0.0)) * t15 + (t15 * 0.5 - 0.5) : t1, t3 ? 0.0 : (t8 ? max(t9, 0.25) : (t5 ? t9 : max(t7, 0.00390625)))));
    const float t19 = floor(t1);
    out_1.data[gl_GlobalInvocationID.x] = layers_sample_1(vec3((values.layers_sample.flags.x & 1u) != 0u ? t19 + (t1 - t19 >= 0.5 ? 1.0 : 0.0) : t1, t0, 1.0)) + t18;
}
