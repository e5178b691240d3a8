float4 plane_copy_filtered(read_only image2d_t image, sampler_t how, float2 at) {
    return read_imagef(image, how, at);
}
typedef struct {
    int size[4];
    uint texel[4];
    uint sampler[4];
    float level[4];
    uint border[4];
    uint from[4][4];
    float unit[4];
} u_vd_sampled_image;
typedef struct {
    u_vd_sampled_image plane_image;
} Block_values;

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global uint* plane_memory, ulong plane_offset, __global float4* out_memory, ulong out_offset, const Block_values values, sampler_t exact_sampler, read_only image2d_t plane_copy, sampler_t plane_copy_sampler) {
    __global uint* const plane = (__global uint*)((__global uchar*)plane_memory + plane_offset);
    __global float4* const out = (__global float4*)((__global uchar*)out_memory + out_offset);
    const uint global_id_x = (uint)get_global_id(0);
    const float t0 = (float)global_id_x + 0.5f;
    const float t1 = fmin(fmax(vload4(0, values.plane_image.sampler).w == 4u ? fabs(t0) : t0, -1073741800.0f), 1073741800.0f);
    const float4 t2 = plane_copy_filtered(plane_copy, plane_copy_sampler, (float2)(t1 * vload4(0, values.plane_image.unit).x, t1 * vload4(0, values.plane_image.unit).y));
    const uint t3 = vload4(0, values.plane_image.texel).x;
    const bool t4 = 2u < t3;
    out[global_id_x] = (float4)(t2.x, 1u < t3 ? t2.y : 0.0f, t4 ? t2.z : 0.0f, t4 ? t2.w : 1.0f);
}
