#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_x { double data[]; } x;
layout(set = 0, binding = 1, scalar) buffer Block_y { float data[]; } y;

void main() {
    const double t0 = x.data[gl_GlobalInvocationID.x];
    x.data[1u] = t0 * 0.1lf + double(y.data[gl_GlobalInvocationID.x]);
    x.data[2u] = sqrt(abs(t0));
    x.data[3u] = max(t0, packDouble2x32(uvec2(0x00000000u, 0x7ff00000u)));
    x.data[4u] = double(t0 >= 2147483648.0lf ? 2147483647 : (t0 > -2147483648.0lf ? int(t0) : (t0 <= -2147483648.0lf ? (-2147483647 - 1) : 0)));
    x.data[5u] = double(t0 >= 4294967296.0lf ? 4294967295u : (t0 > 0.0lf ? uint(t0) : 0u));
    y.data[gl_GlobalInvocationID.x] = float(t0);
}
