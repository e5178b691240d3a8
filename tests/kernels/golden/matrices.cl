typedef struct {
    float3 c[3];
} f32m3x3;
typedef struct {
    float2 c[2];
} f32m2x2;
typedef struct {
    float k[4];
} Block_values;

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global float* x, __global float* y, const Block_values values) {
    __local float tile[36] __attribute__((aligned(16)));
    const uint global_id_x = (uint)get_global_id(0);
    const uint local_id_x = (uint)get_local_id(0);
    const float3 t0 = vload3(3 * (global_id_x) + 0u, x);
    const float3 t1 = vload3(3 * (global_id_x) + 1u, x);
    const float3 t2 = vload3(3 * (global_id_x) + 2u, x);
    const float3 t3 = vload3(3 * (1u) + 0u, x);
    const float3 t4 = vload3(3 * (1u) + 1u, x);
    const float3 t5 = vload3(3 * (1u) + 2u, x);
    const f32m3x3 t6 = (f32m3x3){{t0 + t3, t1 + t4, t2 + t5}};
    vstore3(t6.c[0], 3 * (global_id_x) + 0u, x);
    vstore3(t6.c[1], 3 * (global_id_x) + 1u, x);
    vstore3(t6.c[2], 3 * (global_id_x) + 2u, x);
    vstore3(((f32m3x3){{t0, t1, t2}}).c[2], global_id_x, y);
    vstore3(vload3(3 * (2u) + 0u, x), 1u, y);
    x[3 * (3 * (global_id_x) + 1u) + 2] = ((f32m2x2){{vload2(0u, values.k), vload2(1u, values.k)}}).c[1].x;
    f32m3x3 acc = (f32m3x3){{(float3)(0.0f, 0.0f, 0.0f), (float3)(0.0f, 0.0f, 0.0f), (float3)(0.0f, 0.0f, 0.0f)}};
    acc = (f32m3x3){{(float3)(1.0f, 0.0f, 0.0f), (float3)(0.0f, 1.0f, 0.0f), (float3)(0.0f, 0.0f, 1.0f)}};
    acc.c[0u].x = 3.0f;
    const f32m3x3 t7 = acc;
    vstore3(t7.c[0], 3 * (local_id_x) + 0u, tile);
    vstore3(t7.c[1], 3 * (local_id_x) + 1u, tile);
    vstore3(t7.c[2], 3 * (local_id_x) + 2u, tile);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    const float3 t8 = vload3(3 * (0u) + 0u, tile);
    const float3 t9 = vload3(3 * (0u) + 1u, tile);
    const float3 t10 = vload3(3 * (0u) + 2u, tile);
    vstore3(t8, 3 * (3u) + 0u, x);
    vstore3(t9, 3 * (3u) + 1u, x);
    vstore3(t10, 3 * (3u) + 2u, x);
}
