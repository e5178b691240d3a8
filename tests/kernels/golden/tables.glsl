#version 450
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) writeonly buffer Block_z { vec2 data[]; } z;
layout(set = 0, binding = 1, scalar) writeonly buffer Block_h { f16vec2 data[]; } h;
layout(set = 0, binding = 2, scalar) writeonly buffer Block_x { float data[]; } x;
const vec2 table[3] = vec2 [3](vec2(1.0, 0.0), vec2(0.5, -0.5), vec2(0.0, -1.0));
const f16vec2 table_1[2] = f16vec2 [2](f16vec2(1.0hf, 2.0hf), f16vec2(3.0hf, 4.0hf));
const mat2x2 table_2[2] = mat2x2 [2](mat2x2(vec2(1.0, 2.0), vec2(3.0, 4.0)), mat2x2(vec2(5.0, 6.0), vec2(7.0, 8.0)));

void main() {
    z.data[gl_LocalInvocationID.x] = table[gl_LocalInvocationID.x];
    h.data[gl_LocalInvocationID.x] = table_1[gl_LocalInvocationID.x];
    x.data[gl_LocalInvocationID.x] = table_2[gl_LocalInvocationID.x][1].x;
}
