#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

struct u_vd_sample {
    uvec4 flags;
    vec4 level;
    vec4 ratio;
    vec4 back;
};
layout(set = 0, binding = 2, scalar) writeonly buffer Block_out_1 { vec4 data[]; } out_1;
layout(set = 0, binding = 0) uniform sampler2DArray layers;
layout(set = 0, binding = 1) uniform isampler1D line;
layout(push_constant, scalar) uniform Block_values {
    layout(offset = 0) u_vd_sample layers_sample;
    layout(offset = 64) u_vd_sample line_sample;
} values;

ivec4 line_size(int vd_level) {
    int vd_levels = textureQueryLevels(line);
    int vd_size = max(textureSize(line, 0) >> clamp(vd_level, 0, vd_levels - 1), 1);
    return ivec4(vd_size, 1, 1, vd_levels);
}
ivec4 line_sample_1(float vd_at, float vd_level) {
    return textureLod(line, (vd_at + 0.5) / float(textureSize(line, 0)), vd_level);
}
vec4 layers_sample_1(vec3 vd_at, float vd_level) {
    return textureLod(layers, vec3((vd_at.xy + 0.5) / vec2(textureSize(layers, 0).xy), vd_at.z), vd_level);
}
ivec4 layers_size(int vd_level) {
    int vd_levels = textureQueryLevels(layers);
    ivec3 vd_size = ivec3(max(textureSize(layers, 0).xy >> clamp(vd_level, 0, vd_levels - 1), 1), textureSize(layers, 0).z);
    return ivec4(vd_size, vd_levels);
}
void main() {
    const float t0 = float(gl_GlobalInvocationID.x);
    const float t1 = min(max(t0 + values.line_sample.level.x, values.line_sample.level.y), values.line_sample.level.z);
    const bool t2 = t1 <= 0.0;
    const uint t3 = values.line_sample.flags.x;
    const bool t4 = (t2 && (t3 & 1u) != 0u) || (!t2 && (t3 & 2u) != 0u);
    const ivec4 t5 = line_size(0);
    const float t6 = min(max(t1, 0.0), float(int(uint(t5.w) - uint(1))));
    const bool t7 = (t3 & 4u) != 0u;
    const float t8 = t7 ? ceil(t6 - 0.5) : floor(t6);
    const int t9 = t8 >= 2147483600.0 ? 2147483647 : (t8 > -2147483600.0 ? int(t8) : (t8 <= -2147483600.0 ? (-2147483647 - 1) : 0));
    const bool t10 = t9 == 0;
    const float t11 = float(t5.x);
    const float t12 = float(line_size(t9).x);
    const float t13 = t10 ? 1.0 : t12 / t11;
    const float t14 = t10 ? 1.0 : t11 / t12;
    const float t15 = t0 * t13 + (t13 * 0.5 - 0.5);
    const float t16 = floor(t15);
    const vec4 t17 = vec4(line_sample_1(t4 ? (t16 + (t15 - t16 >= 0.5 ? 1.0 : 0.0)) * t14 + (t14 * 0.5 - 0.5) : t0, t2 ? 0.0 : (t7 ? max(t8, 0.25) : (t4 ? t8 : max(t6, 0.00390625)))));
    const float t18 = values.layers_sample.ratio.x;
    const float t19 = values.layers_sample.back.x;
    const float t20 = values.layers_sample.ratio.y;
    const float t21 = values.layers_sample.back.y;
    const uint t22 = values.layers_sample.flags.x;
    const bool t23 = (t22 & 8u) != 0u;
    const float t24 = t0 * t18 + (t18 * 0.5 - 0.5);
    const float t25 = floor(t24);
    const float t26 = t0 * t20 + (t20 * 0.5 - 0.5);
    const float t27 = floor(t26);
    const vec3 t28 = vec3(t23 ? (t25 + (t24 - t25 >= 0.5 ? 1.0 : 0.0)) * t19 + (t19 * 0.5 - 0.5) : t0, t23 ? (t27 + (t26 - t27 >= 0.5 ? 1.0 : 0.0)) * t21 + (t21 * 0.5 - 0.5) : t0, 1.0);
    const vec4 t29 = layers_sample_1(t28, values.layers_sample.level.w);
    const float t30 = values.layers_sample.back.w;
    const int t31 = t30 >= 2147483600.0 ? 2147483647 : (t30 > -2147483600.0 ? int(t30) : (t30 <= -2147483600.0 ? (-2147483647 - 1) : 0));
    const float t32 = values.layers_sample.ratio.w;
    vec4 var0 = t29;
    if ((t22 & 16u) != 0u) {
        const ivec4 t33 = layers_size(0);
        const ivec4 t34 = layers_size(t31);
        const bool t35 = t31 == 0;
        const float t36 = float(t33.x);
        const float t37 = float(t34.x);
        const float t38 = t35 ? 1.0 : t37 / t36;
        const float t39 = t35 ? 1.0 : t36 / t37;
        const float t40 = float(t33.y);
        const float t41 = float(t34.y);
        const float t42 = t35 ? 1.0 : t41 / t40;
        const float t43 = t35 ? 1.0 : t40 / t41;
        const float t44 = t0 * t38 + (t38 * 0.5 - 0.5);
        const float t45 = floor(t44);
        const float t46 = t0 * t42 + (t42 * 0.5 - 0.5);
        const float t47 = floor(t46);
        const vec4 t48 = layers_sample_1(vec3((t45 + (t44 - t45 >= 0.5 ? 1.0 : 0.0)) * t39 + (t39 * 0.5 - 0.5), (t47 + (t46 - t47 >= 0.5 ? 1.0 : 0.0)) * t43 + (t43 * 0.5 - 0.5), 1.0), float(t31));
        var0 = t29 * vec4(1.0 - t32) + t48 * vec4(t32);
    }
    out_1.data[gl_GlobalInvocationID.x] = var0 + t17;
}
