#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_x { vec2 data[]; } x;
layout(set = 0, binding = 1, scalar) buffer Block_f { float data[]; } f;

void main() {
    const vec2 t0 = x.data[gl_GlobalInvocationID.x];
    const vec2 t1 = x.data[1u];
    x.data[gl_GlobalInvocationID.x] = vec2(t0.x + t1.x - -t0.y, t0.y + t1.y - -t1.x);
    x.data[3u].y = f.data[gl_GlobalInvocationID.x];
    f.data[1u] = x.data[gl_GlobalInvocationID.x >> 1u][gl_GlobalInvocationID.x & 1u];
    f.data[2u] = float(t0.x == t1.x && t0.y == t1.y);
    x.data[4u] = vec2(1.0, 0.0);
    x.data[5u] = vec2(0.0, 0.0);
}
