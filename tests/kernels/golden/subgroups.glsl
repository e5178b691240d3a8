#version 450
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_x { float data[]; } x;
layout(set = 0, binding = 1, scalar) buffer Block_u { uint data[]; } u;
layout(set = 0, binding = 2, scalar) buffer Block_v { vec2 data[]; } v;

void main() {
    const float t0 = x.data[gl_GlobalInvocationID.x];
    const uint t1 = u.data[gl_GlobalInvocationID.x];
    const float t2 = subgroupAdd(t0);
    x.data[224u] = t2;
    const uint t3 = subgroupAdd(t1);
    u.data[224u] = t3;
    const float t4 = subgroupMul(t0);
    x.data[225u] = t4;
    const uint t5 = subgroupMul(t1);
    u.data[225u] = t5;
    const float t6 = subgroupMin(t0);
    x.data[226u] = t6;
    const uint t7 = subgroupMin(t1);
    u.data[226u] = t7;
    const float t8 = subgroupMax(t0);
    x.data[227u] = t8;
    const uint t9 = subgroupMax(t1);
    u.data[227u] = t9;
    const uint t10 = subgroupAnd(t1);
    u.data[228u] = t10;
    const uint t11 = subgroupOr(t1);
    u.data[229u] = t11;
    const uint t12 = subgroupXor(t1);
    u.data[230u] = t12;
    const vec2 t13 = subgroupAdd(v.data[gl_GlobalInvocationID.x]);
    v.data[gl_GlobalInvocationID.x] = t13;
    const float t14 = subgroupShuffle(t0, 1u);
    x.data[233u] = t14;
    const float t15 = subgroupShuffleXor(t0, 1u);
    x.data[234u] = t15;
    const float t16 = subgroupShuffleUp(t0, 1u);
    x.data[235u] = t16;
    const float t17 = subgroupShuffleDown(t0, 1u);
    x.data[236u] = t17;
    const float t18 = subgroupBroadcastFirst(t0);
    x.data[1u] = t18;
    const float t19 = subgroupBroadcast(t0, 3u);
    x.data[2u] = t19;
    const float t20 = subgroupShuffle(t0, t1);
    x.data[3u] = t20;
    const bool t21 = t0 > 0.0;
    const uvec4 t22 = subgroupBallot(t21);
    u.data[3u] = t22.x + t22.w;
    const bool t23 = subgroupAll(t21);
    const bool t24 = subgroupAny(t21);
    if (t24 && t23) {
        u.data[0u] = gl_SubgroupSize;
    }
    const bool t25 = subgroupElect();
    if (t25) {
        u.data[1u] = gl_SubgroupInvocationID + gl_SubgroupID;
        u.data[2u] = gl_NumSubgroups;
    }
    subgroupBarrier();
}
