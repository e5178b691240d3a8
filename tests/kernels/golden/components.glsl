#version 450
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_p { vec2 data[]; } p;
layout(set = 0, binding = 1, scalar) buffer Block_q { vec4 data[]; } q;
layout(set = 0, binding = 2, scalar) writeonly buffer Block_x { vec2 data[]; } x;
layout(set = 0, binding = 3, scalar) writeonly buffer Block_t { vec3 data[]; } t;
layout(set = 0, binding = 4, scalar) buffer Block_m { mat2x2 data[]; } m;
layout(set = 0, binding = 5, scalar) buffer Block_n { uvec2 data[]; } n;
layout(set = 0, binding = 6, scalar) buffer Block_h { f16vec4 data[]; } h;
layout(set = 0, binding = 7, scalar) writeonly buffer Block_f { float data[]; } f;
layout(set = 0, binding = 7, scalar) writeonly buffer Block_f_as_f32x4 { vec4 data[]; } f_as_f32x4;
layout(set = 0, binding = 1, scalar) coherent buffer Block_q_as_f32x4_coherent { vec4 data[]; } q_as_f32x4_coherent;
layout(set = 0, binding = 0, scalar) coherent buffer Block_p_as_f32x2_coherent { vec2 data[]; } p_as_f32x2_coherent;
layout(set = 0, binding = 6, scalar) coherent buffer Block_h_as_f16x4_coherent { f16vec4 data[]; } h_as_f16x4_coherent;
layout(set = 0, binding = 4, scalar) coherent buffer Block_m_as_f32m2_coherent { mat2x2 data[]; } m_as_f32m2_coherent;
shared uint shared_memory[384];

void main() {
    p.data[gl_GlobalInvocationID.x].y = 1.0;
    q.data[gl_GlobalInvocationID.x].w = q.data[gl_GlobalInvocationID.x].z;
    q.data[gl_GlobalInvocationID.x][gl_LocalInvocationID.x] = 1.0;
    x.data[gl_GlobalInvocationID.x].x = 1.0;
    t.data[gl_GlobalInvocationID.x].z = 1.0;
    h.data[gl_GlobalInvocationID.x].y = 1.0hf;
    m.data[gl_GlobalInvocationID.x][1u] = vec2(1.0);
    m.data[gl_GlobalInvocationID.x][1u].x = 1.0;
    shared_memory[gl_LocalInvocationID.x * 4u + 2u] = 1065353216u;
    shared_memory[gl_LocalInvocationID.x * 2u + 257u] = 1065353216u;
    f_as_f32x4.data[gl_GlobalInvocationID.x].y = 1.0;
    shared_memory[gl_LocalInvocationID.x * 2u + 1u] = 1065353216u;
    p_as_f32x2_coherent.data[gl_GlobalInvocationID.x].x = q_as_f32x4_coherent.data[gl_GlobalInvocationID.x].y;
    p.data[0u] = p_as_f32x2_coherent.data[gl_GlobalInvocationID.x];
    h_as_f16x4_coherent.data[gl_GlobalInvocationID.x].z = h_as_f16x4_coherent.data[gl_GlobalInvocationID.x].w;
    m_as_f32m2_coherent.data[gl_GlobalInvocationID.x] = m_as_f32m2_coherent.data[0u];
    atomicAdd(n.data[gl_GlobalInvocationID.x].y, 3u);
    vec4 own = q.data[0u];
    own.y = 1.0;
    q.data[1u] = own;
}
