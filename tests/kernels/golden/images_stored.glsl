#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, r32f) coherent uniform image1D image;
layout(set = 0, binding = 1, r32f) coherent uniform image1DArray image_1;
layout(set = 0, binding = 2, r32f) coherent uniform image2D image_2;
layout(set = 0, binding = 3, r32f) coherent uniform image2DArray image_3;
layout(set = 0, binding = 4, r32f) coherent uniform image3D image_4;
layout(push_constant, scalar) uniform Block_values {
    layout(offset = 0) ivec4 image_shape;
    layout(offset = 16) ivec4 image_1_shape;
    layout(offset = 32) ivec4 image_2_shape;
    layout(offset = 48) ivec4 image_3_shape;
    layout(offset = 64) ivec4 image_4_shape;
} values;

vec4 image_load(uint vd_at) {
    if (vd_at >= uint(imageSize(image))) return vec4(0.0);
    return imageLoad(image, int(vd_at));
}
void image_store(int vd_at, vec4 vd_texel) {
    if (uint(vd_at) >= uint(imageSize(image))) return;
    imageStore(image, vd_at, vd_texel);
}
vec4 image_1_load(uvec2 vd_at) {
    if (any(greaterThanEqual(vd_at, uvec2(imageSize(image_1))))) return vec4(0.0);
    return imageLoad(image_1, ivec2(vd_at));
}
void image_1_store(ivec2 vd_at, vec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(image_1))))) return;
    imageStore(image_1, vd_at, vd_texel);
}
vec4 image_2_load(uvec2 vd_at) {
    if (any(greaterThanEqual(vd_at, uvec2(imageSize(image_2))))) return vec4(0.0);
    return imageLoad(image_2, ivec2(vd_at));
}
void image_2_store(ivec2 vd_at, vec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(image_2))))) return;
    imageStore(image_2, vd_at, vd_texel);
}
vec4 image_3_load(uvec3 vd_at) {
    if (any(greaterThanEqual(vd_at, uvec3(imageSize(image_3))))) return vec4(0.0);
    return imageLoad(image_3, ivec3(vd_at));
}
void image_3_store(ivec3 vd_at, vec4 vd_texel) {
    if (any(greaterThanEqual(uvec3(vd_at), uvec3(imageSize(image_3))))) return;
    imageStore(image_3, vd_at, vd_texel);
}
vec4 image_4_load(uvec3 vd_at) {
    if (any(greaterThanEqual(vd_at, uvec3(imageSize(image_4))))) return vec4(0.0);
    return imageLoad(image_4, ivec3(vd_at));
}
void image_4_store(ivec3 vd_at, vec4 vd_texel) {
    if (any(greaterThanEqual(uvec3(vd_at), uvec3(imageSize(image_4))))) return;
    imageStore(image_4, vd_at, vd_texel);
}
void main() {
    const int t0 = int(gl_GlobalInvocationID.x);
    image_store(t0, image_load(gl_GlobalInvocationID.x) + vec4(values.image_shape));
    const uvec2 t1 = uvec2(gl_GlobalInvocationID.x, gl_GlobalInvocationID.y);
    const int t2 = int(gl_GlobalInvocationID.y);
    const ivec2 t3 = ivec2(t0, t2);
    image_1_store(t3, image_1_load(t1) + vec4(values.image_1_shape));
    image_2_store(t3, image_2_load(t1) + vec4(values.image_2_shape));
    const uvec3 t4 = uvec3(gl_GlobalInvocationID.x, gl_GlobalInvocationID.y, gl_GlobalInvocationID.z);
    const ivec3 t5 = ivec3(t0, t2, int(gl_GlobalInvocationID.z));
    image_3_store(t5, image_3_load(t4) + vec4(values.image_3_shape));
    image_4_store(t5, image_4_load(t4) + vec4(values.image_4_shape));
}
