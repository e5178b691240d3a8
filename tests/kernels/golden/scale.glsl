#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) readonly buffer Block_x { float data[]; } x;
layout(set = 0, binding = 1, scalar) writeonly buffer Block_out_1 { float data[]; } out_1;
layout(push_constant, scalar) uniform Block_values {
    layout(offset = 0) float alpha;
} values;

void main() {
    out_1.data[gl_GlobalInvocationID.x] = values.alpha * x.data[gl_GlobalInvocationID.x] + 0.5;
}
