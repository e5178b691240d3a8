#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_x { mat3x3 data[]; } x;
layout(set = 0, binding = 1, scalar) writeonly buffer Block_y { vec3 data[]; } y;
layout(push_constant, scalar) uniform Block_values {
    layout(offset = 0) mat2x2 k;
} values;
shared mat3x3 tile[4];

void main() {
    const mat3x3 t0 = x.data[gl_GlobalInvocationID.x];
    const mat3x3 t1 = x.data[1u];
    const vec3 t2 = t0[2];
    x.data[gl_GlobalInvocationID.x] = mat3x3(t0[0] + t1[0], t0[1] + t1[1], t2 + t1[2]);
    y.data[gl_GlobalInvocationID.x] = t2;
    y.data[1u] = x.data[2u][0u];
    x.data[gl_GlobalInvocationID.x][1u].z = values.k[1].x;
    mat3x3 acc = mat3x3(vec3(0.0, 0.0, 0.0), vec3(0.0, 0.0, 0.0), vec3(0.0, 0.0, 0.0));
    acc = mat3x3(vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0));
    acc[0u].x = 3.0;
    tile[gl_LocalInvocationID.x] = acc;
    barrier();
    x.data[3u] = tile[0u];
}
