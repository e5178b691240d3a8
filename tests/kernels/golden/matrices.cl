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
void vkdispatch_main(__global float* x_memory, ulong x_offset, __global float* y_memory, ulong y_offset, const Block_values values) {
    __global float* const x = (__global float*)((__global uchar*)x_memory + x_offset);
    __global float* const y = (__global float*)((__global uchar*)y_memory + y_offset);
    __local float tile[36] __attribute__((aligned(16)));
    const uint global_id_x = (uint)get_global_id(0);
    const uint local_id_x = (uint)get_local_id(0);
    const f32m3x3 t0 = (f32m3x3){{vload3(3 * (global_id_x) + 0u, x), vload3(3 * (global_id_x) + 1u, x), vload3(3 * (global_id_x) + 2u, x)}};
    const f32m3x3 t1 = (f32m3x3){{vload3(3 * (1u) + 0u, x), vload3(3 * (1u) + 1u, x), vload3(3 * (1u) + 2u, x)}};
    const float3 t2 = t0.c[2];
    vstore3(t0.c[0] + t1.c[0], 3 * (global_id_x) + 0u, x);
    vstore3(t0.c[1] + t1.c[1], 3 * (global_id_x) + 1u, x);
    vstore3(t2 + t1.c[2], 3 * (global_id_x) + 2u, x);
    vstore3(t2, global_id_x, y);
    vstore3(vload3(3 * (2u) + 0u, x), 1u, y);
    x[3 * (3 * (global_id_x) + 1u) + 2] = ((f32m2x2){{vload2(0u, values.k), vload2(1u, values.k)}}).c[1].x;
    f32m3x3 acc = (f32m3x3){{(float3)(0.0f, 0.0f, 0.0f), (float3)(0.0f, 0.0f, 0.0f), (float3)(0.0f, 0.0f, 0.0f)}};
    acc = (f32m3x3){{(float3)(1.0f, 0.0f, 0.0f), (float3)(0.0f, 1.0f, 0.0f), (float3)(0.0f, 0.0f, 1.0f)}};
    acc.c[0u].x = 3.0f;
    const f32m3x3 t3 = acc;
    vstore3(t3.c[0], 3 * (local_id_x) + 0u, tile);
    vstore3(t3.c[1], 3 * (local_id_x) + 1u, tile);
    vstore3(t3.c[2], 3 * (local_id_x) + 2u, tile);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    vstore3(vload3(3 * (0u) + 0u, tile), 3 * (3u) + 0u, x);
    vstore3(vload3(3 * (0u) + 1u, tile), 3 * (3u) + 1u, x);
    vstore3(vload3(3 * (0u) + 2u, tile), 3 * (3u) + 2u, x);
}
