#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) writeonly buffer Block_out_1 { vec4 data[]; } out_1;
layout(set = 0, binding = 1, scalar) writeonly buffer Block_sizes { ivec4 data[]; } sizes;
layout(set = 0, binding = 2) uniform sampler1D size;
layout(set = 0, binding = 3) uniform sampler1DArray image;
layout(set = 0, binding = 4) uniform sampler2D image_1;
layout(set = 0, binding = 5) uniform sampler2DArray image_2;
layout(set = 0, binding = 6) uniform sampler3D image_3;

vec4 size_sample(float vd_at) {
    return textureLod(size, (vd_at + 0.5) / float(textureSize(size, 0)), 0.0);
}
vec4 size_sample_1(float vd_at, float vd_level) {
    return textureLod(size, (vd_at + 0.5) / float(textureSize(size, 0)), vd_level);
}
vec4 size_load(int vd_at) {
    if (uint(vd_at) >= uint(textureSize(size, 0))) return vec4(0.0);
    return texelFetch(size, vd_at, 0);
}
vec4 size_load_1(uint vd_at, uint vd_level) {
    if (uint(vd_level) >= uint(textureQueryLevels(size))) return vec4(0.0);
    if (vd_at >= uint(max(textureSize(size, 0) >> int(vd_level), 1))) return vec4(0.0);
    return texelFetch(size, int(vd_at), int(vd_level));
}
ivec4 size_size() {
    int vd_levels = textureQueryLevels(size);
    int vd_size = textureSize(size, 0);
    return ivec4(vd_size, 1, 1, vd_levels);
}
ivec4 size_size_1(int vd_level) {
    int vd_levels = textureQueryLevels(size);
    int vd_size = max(textureSize(size, 0) >> clamp(vd_level, 0, vd_levels - 1), 1);
    return ivec4(vd_size, 1, 1, vd_levels);
}
vec4 image_sample(vec2 vd_at) {
    return textureLod(image, vec2((vd_at.x + 0.5) / float(textureSize(image, 0).x), vd_at.y), 0.0);
}
vec4 image_sample_1(vec2 vd_at, float vd_level) {
    return textureLod(image, vec2((vd_at.x + 0.5) / float(textureSize(image, 0).x), vd_at.y), vd_level);
}
vec4 image_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(textureSize(image, 0))))) return vec4(0.0);
    return texelFetch(image, vd_at, 0);
}
vec4 image_load_1(uvec2 vd_at, uint vd_level) {
    if (uint(vd_level) >= uint(textureQueryLevels(image))) return vec4(0.0);
    if (any(greaterThanEqual(vd_at, uvec2(ivec2(max(textureSize(image, 0).x >> int(vd_level), 1), textureSize(image, 0).y))))) return vec4(0.0);
    return texelFetch(image, ivec2(vd_at), int(vd_level));
}
ivec4 image_size() {
    int vd_levels = textureQueryLevels(image);
    ivec2 vd_size = textureSize(image, 0);
    return ivec4(vd_size.x, 1, vd_size.y, vd_levels);
}
ivec4 image_size_1(int vd_level) {
    int vd_levels = textureQueryLevels(image);
    ivec2 vd_size = ivec2(max(textureSize(image, 0).x >> clamp(vd_level, 0, vd_levels - 1), 1), textureSize(image, 0).y);
    return ivec4(vd_size.x, 1, vd_size.y, vd_levels);
}
vec4 image_1_sample(vec2 vd_at) {
    return textureLod(image_1, (vd_at + 0.5) / vec2(textureSize(image_1, 0)), 0.0);
}
vec4 image_1_sample_1(vec2 vd_at, float vd_level) {
    return textureLod(image_1, (vd_at + 0.5) / vec2(textureSize(image_1, 0)), vd_level);
}
vec4 image_1_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(textureSize(image_1, 0))))) return vec4(0.0);
    return texelFetch(image_1, vd_at, 0);
}
vec4 image_1_load_1(uvec2 vd_at, uint vd_level) {
    if (uint(vd_level) >= uint(textureQueryLevels(image_1))) return vec4(0.0);
    if (any(greaterThanEqual(vd_at, uvec2(max(textureSize(image_1, 0) >> int(vd_level), 1))))) return vec4(0.0);
    return texelFetch(image_1, ivec2(vd_at), int(vd_level));
}
ivec4 image_1_size() {
    int vd_levels = textureQueryLevels(image_1);
    ivec2 vd_size = textureSize(image_1, 0);
    return ivec4(vd_size, 1, vd_levels);
}
ivec4 image_1_size_1(int vd_level) {
    int vd_levels = textureQueryLevels(image_1);
    ivec2 vd_size = max(textureSize(image_1, 0) >> clamp(vd_level, 0, vd_levels - 1), 1);
    return ivec4(vd_size, 1, vd_levels);
}
vec4 image_2_sample(vec3 vd_at) {
    return textureLod(image_2, vec3((vd_at.xy + 0.5) / vec2(textureSize(image_2, 0).xy), vd_at.z), 0.0);
}
vec4 image_2_sample_1(vec3 vd_at, float vd_level) {
    return textureLod(image_2, vec3((vd_at.xy + 0.5) / vec2(textureSize(image_2, 0).xy), vd_at.z), vd_level);
}
vec4 image_2_load(ivec3 vd_at) {
    if (any(greaterThanEqual(uvec3(vd_at), uvec3(textureSize(image_2, 0))))) return vec4(0.0);
    return texelFetch(image_2, vd_at, 0);
}
vec4 image_2_load_1(uvec3 vd_at, uint vd_level) {
    if (uint(vd_level) >= uint(textureQueryLevels(image_2))) return vec4(0.0);
    if (any(greaterThanEqual(vd_at, uvec3(ivec3(max(textureSize(image_2, 0).xy >> int(vd_level), 1), textureSize(image_2, 0).z))))) return vec4(0.0);
    return texelFetch(image_2, ivec3(vd_at), int(vd_level));
}
ivec4 image_2_size() {
    int vd_levels = textureQueryLevels(image_2);
    ivec3 vd_size = textureSize(image_2, 0);
    return ivec4(vd_size, vd_levels);
}
ivec4 image_2_size_1(int vd_level) {
    int vd_levels = textureQueryLevels(image_2);
    ivec3 vd_size = ivec3(max(textureSize(image_2, 0).xy >> clamp(vd_level, 0, vd_levels - 1), 1), textureSize(image_2, 0).z);
    return ivec4(vd_size, vd_levels);
}
vec4 image_3_sample(vec3 vd_at) {
    return textureLod(image_3, (vd_at + 0.5) / vec3(textureSize(image_3, 0)), 0.0);
}
vec4 image_3_sample_1(vec3 vd_at, float vd_level) {
    return textureLod(image_3, (vd_at + 0.5) / vec3(textureSize(image_3, 0)), vd_level);
}
vec4 image_3_load(ivec3 vd_at) {
    if (any(greaterThanEqual(uvec3(vd_at), uvec3(textureSize(image_3, 0))))) return vec4(0.0);
    return texelFetch(image_3, vd_at, 0);
}
vec4 image_3_load_1(uvec3 vd_at, uint vd_level) {
    if (uint(vd_level) >= uint(textureQueryLevels(image_3))) return vec4(0.0);
    if (any(greaterThanEqual(vd_at, uvec3(max(textureSize(image_3, 0) >> int(vd_level), 1))))) return vec4(0.0);
    return texelFetch(image_3, ivec3(vd_at), int(vd_level));
}
ivec4 image_3_size() {
    int vd_levels = textureQueryLevels(image_3);
    ivec3 vd_size = textureSize(image_3, 0);
    return ivec4(vd_size, vd_levels);
}
ivec4 image_3_size_1(int vd_level) {
    int vd_levels = textureQueryLevels(image_3);
    ivec3 vd_size = max(textureSize(image_3, 0) >> clamp(vd_level, 0, vd_levels - 1), 1);
    return ivec4(vd_size, vd_levels);
}
void main() {
    const float t0 = float(gl_GlobalInvocationID.x);
    out_1.data[0u] = size_sample(t0);
    out_1.data[1u] = size_sample_1(t0, 1.5);
    const int t1 = int(gl_GlobalInvocationID.x);
    out_1.data[2u] = size_load(t1);
    out_1.data[3u] = size_load_1(gl_GlobalInvocationID.x, 1u);
    sizes.data[4u] = size_size();
    sizes.data[5u] = size_size_1(1);
    const float t2 = float(gl_GlobalInvocationID.y);
    const vec2 t3 = vec2(t0, t2);
    out_1.data[6u] = image_sample(t3);
    out_1.data[7u] = image_sample_1(t3, 1.5);
    const int t4 = int(gl_GlobalInvocationID.y);
    const ivec2 t5 = ivec2(t1, t4);
    out_1.data[8u] = image_load(t5);
    const uvec2 t6 = uvec2(gl_GlobalInvocationID.x, gl_GlobalInvocationID.y);
    out_1.data[9u] = image_load_1(t6, 1u);
    sizes.data[10u] = image_size();
    sizes.data[11u] = image_size_1(1);
    out_1.data[12u] = image_1_sample(t3);
    out_1.data[13u] = image_1_sample_1(t3, 1.5);
    out_1.data[14u] = image_1_load(t5);
    out_1.data[15u] = image_1_load_1(t6, 1u);
    sizes.data[16u] = image_1_size();
    sizes.data[17u] = image_1_size_1(1);
    const vec3 t7 = vec3(t0, t2, float(gl_GlobalInvocationID.z));
    out_1.data[18u] = image_2_sample(t7);
    out_1.data[19u] = image_2_sample_1(t7, 1.5);
    const ivec3 t8 = ivec3(t1, t4, int(gl_GlobalInvocationID.z));
    out_1.data[20u] = image_2_load(t8);
    const uvec3 t9 = uvec3(gl_GlobalInvocationID.x, gl_GlobalInvocationID.y, gl_GlobalInvocationID.z);
    out_1.data[21u] = image_2_load_1(t9, 1u);
    sizes.data[22u] = image_2_size();
    sizes.data[23u] = image_2_size_1(1);
    out_1.data[24u] = image_3_sample(t7);
    out_1.data[25u] = image_3_sample_1(t7, 1.5);
    out_1.data[26u] = image_3_load(t8);
    out_1.data[27u] = image_3_load_1(t9, 1u);
    sizes.data[28u] = image_3_size();
    sizes.data[29u] = image_3_size_1(1);
}
