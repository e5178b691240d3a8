#pragma OPENCL EXTENSION cl_khr_subgroups : enable

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global float* x_memory, ulong x_offset, __global uint* u_memory, ulong u_offset, __global float2* v_memory, ulong v_offset) {
    __global float* const x = (__global float*)((__global uchar*)x_memory + x_offset);
    __global uint* const u = (__global uint*)((__global uchar*)u_memory + u_offset);
    __global float2* const v = (__global float2*)((__global uchar*)v_memory + v_offset);
    const uint global_id_x = (uint)get_global_id(0);
    const uint subgroup_size = get_max_sub_group_size();
    const uint subgroup_lane = get_sub_group_local_id();
    const uint subgroup_id = get_sub_group_id();
    const uint num_subgroups = get_num_sub_groups();
    const float t0 = x[global_id_x];
    const uint t1 = u[global_id_x];
    const float t2 = sub_group_non_uniform_reduce_add(t0);
    x[224u] = t2;
    const uint t3 = sub_group_non_uniform_reduce_add(t1);
    u[224u] = t3;
    const float t4 = sub_group_non_uniform_reduce_mul(t0);
    x[225u] = t4;
    const uint t5 = sub_group_non_uniform_reduce_mul(t1);
    u[225u] = t5;
    const float t6 = sub_group_non_uniform_reduce_min(t0);
    x[226u] = t6;
    const uint t7 = sub_group_non_uniform_reduce_min(t1);
    u[226u] = t7;
    const float t8 = sub_group_non_uniform_reduce_max(t0);
    x[227u] = t8;
    const uint t9 = sub_group_non_uniform_reduce_max(t1);
    u[227u] = t9;
    const uint t10 = sub_group_non_uniform_reduce_and(t1);
    u[228u] = t10;
    const uint t11 = sub_group_non_uniform_reduce_or(t1);
    u[229u] = t11;
    const uint t12 = sub_group_non_uniform_reduce_xor(t1);
    u[230u] = t12;
    const float2 t13 = v[global_id_x];
    const float t14 = sub_group_non_uniform_reduce_add(t13.x);
    const float t15 = sub_group_non_uniform_reduce_add(t13.y);
    v[global_id_x] = (float2)(t14, t15);
    const float t16 = sub_group_shuffle(t0, 1u);
    x[233u] = t16;
    const float t17 = sub_group_shuffle_xor(t0, 1u);
    x[234u] = t17;
    const float t18 = sub_group_shuffle_up(t0, 1u);
    x[235u] = t18;
    const float t19 = sub_group_shuffle_down(t0, 1u);
    x[236u] = t19;
    const float t20 = sub_group_broadcast_first(t0);
    x[1u] = t20;
    const float t21 = sub_group_shuffle(t0, 3u);
    x[2u] = t21;
    const float t22 = sub_group_shuffle(t0, t1);
    x[3u] = t22;
    const bool t23 = t0 > 0.0f;
    const uint4 t24 = sub_group_ballot(t23);
    u[3u] = t24.x + t24.w;
    const bool t25 = sub_group_non_uniform_all(t23) != 0;
    const bool t26 = sub_group_non_uniform_any(t23) != 0;
    if (t26 && t25) {
        u[0u] = subgroup_size;
    }
    const bool t27 = sub_group_elect() != 0;
    if (t27) {
        u[1u] = subgroup_lane + subgroup_id;
        u[2u] = num_subgroups;
    }
    sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
