typedef struct {
    float k[3];
} Block_values;

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global float* p_memory, ulong p_offset, __global float4* q_memory, ulong q_offset, __global uint* m_memory, ulong m_offset, __global const float* only_read_memory, ulong only_read_offset, const Block_values values) {
    __global float* const p = (__global float*)((__global uchar*)p_memory + p_offset);
    __global float4* const q = (__global float4*)((__global uchar*)q_memory + q_offset);
    __global uint* const m = (__global uint*)((__global uchar*)m_memory + m_offset);
    __global const float* const only_read = (__global const float*)((__global const uchar*)only_read_memory + only_read_offset);
    const uint global_id_x = (uint)get_global_id(0);
    const uint local_id_x = (uint)get_local_id(0);
    const uint global_id_y = (uint)get_global_id(1);
    const uint global_id_z = (uint)get_global_id(2);
    const float3 t0 = vload3(global_id_x, p);
    vstore3(t0 * vload3(0, values.k) + (float3)(2.0f), global_id_x, p);
    q[global_id_x] = (float4)(t0.z, t0.y, t0.x, t0.x);
    ((__global float*)&q[global_id_x])[3] = vload3(0, values.k).y;
    p[3 * (global_id_x) + 2] = p[3 * (0u) + 1];
    p[3 * (global_id_x) + local_id_x] = t0.x;
    const bool t1 = t0.x < vload3(0, values.k).x;
    const bool t2 = t0.y < vload3(0, values.k).y;
    const bool t3 = t0.z < vload3(0, values.k).z;
    const float3 t4 = floor(t0);
    vstore3((float3)(t1 ? t0.x : t4.x, t2 ? t0.y : t4.y, t3 ? t0.z : t4.z), 1u, p);
    const int3 t5 = (int3)(t1 && (as_uint(t0.x) & 0x7fffffffu) > 0x7f800000u, t2 && (as_uint(t0.y) & 0x7fffffffu) > 0x7f800000u, t3 && (as_uint(t0.z) & 0x7fffffffu) > 0x7f800000u);
    if (t5.x || t5.y || t5.z) {
        const uint3 t6 = convert_uint3_sat(t0);
        vstore3((uint3)(t0.x == t0.x ? t6.x : 0u, t0.y == t0.y ? t6.y : 0u, t0.z == t0.z ? t6.z : 0u) << ((uint3)(local_id_x) & (uint3)(31u)), global_id_x, m);
    }
    vstore3((uint3)(global_id_x, global_id_y, global_id_z), 1u, m);
    vstore3(min(vload3(0u, m), (uint3)(9u)), 2u, m);
    p[3 * (2u) + 0] = only_read[3 * (global_id_x) + local_id_x];
}
