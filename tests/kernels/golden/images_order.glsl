#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 1, scalar) writeonly buffer Block_out_1 { uvec4 data[]; } out_1;
layout(set = 0, binding = 0, r32ui) coherent uniform uimage1D image;

uvec4 image_load(uint vd_at) {
    if (vd_at >= uint(imageSize(image))) return uvec4(0u);
    return imageLoad(image, int(vd_at));
}
void image_store(uint vd_at, uvec4 vd_texel) {
    if (vd_at >= uint(imageSize(image))) return;
    imageStore(image, int(vd_at), vd_texel);
}
void main() {
    const uvec4 t0 = image_load(gl_GlobalInvocationID.x);
    image_store(gl_GlobalInvocationID.x, t0 + t0);
    const uvec4 t1 = image_load(gl_LocalInvocationID.x);
    barrier();
    const uvec4 t2 = image_load(gl_LocalInvocationID.x);
    image_store(3u, uvec4(0u));
    out_1.data[gl_GlobalInvocationID.x] = t1 + t2;
}
