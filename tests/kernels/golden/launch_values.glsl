#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) writeonly buffer Block_x { float data[]; } x;
layout(push_constant, scalar) uniform Block_values {
    layout(offset = 0) float values;
    layout(offset = 4) vec3 v;
    layout(offset = 16) double w;
    layout(offset = 24) vec4 h;
    layout(offset = 40) uvec3 exec_size;
    layout(offset = 52) ivec4 x_shape;
} values_1;

void main() {
    if (gl_GlobalInvocationID.x < values_1.exec_size.x && int(gl_GlobalInvocationID.x) < values_1.x_shape.w) {
        x.data[gl_GlobalInvocationID.x] = values_1.values * values_1.v.z + (values_1.h * values_1.h).y;
    }
    x.data[0u] = float(values_1.w);
}
