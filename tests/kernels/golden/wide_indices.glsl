#version 450
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 4, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_x { float data[]; } x;
layout(set = 0, binding = 1, scalar) buffer Block_v { vec4 data[]; } v;
shared float row[4];

void main() {
    const uint64_t t0 = uint64_t(gl_LocalInvocationID.x);
    const int64_t t1 = int64_t(gl_LocalInvocationID.x);
    row[uint(t0)] = x.data[uint(t0 + 8ul)];
    barrier();
    float a_0 = 0.0;
    float a_1 = 0.0;
    float a_2 = 0.0;
    float a_3 = 0.0;
    const float t2 = row[uint(t1)];
    a_2 = t2;
    v.data[uint(t1)][uint(t0)] = t2;
    x.data[0u] = v.data[9u].w;
}
