int4 line_copy_texel(read_only image1d_t image, sampler_t how, int at) {
    return read_imagei(image, how, at);
}
float4 layers_copy_texel(read_only image2d_array_t image, sampler_t how, int3 at) {
    return read_imagef(image, how, (int4)(at, 0));
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
    u_vd_sampled_image layers_image;
    u_vd_sampled_image line_image;
} Block_values;

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global uint* layers_memory, ulong layers_offset, __global uint* line_memory, ulong line_offset, __global float4* out_memory, ulong out_offset, const Block_values values, sampler_t exact_sampler, read_only image2d_array_t layers_copy, sampler_t layers_copy_sampler, read_only image1d_t line_copy, sampler_t line_copy_sampler) {
    __global uint* const layers = (__global uint*)((__global uchar*)layers_memory + layers_offset);
    __global uint* const line = (__global uint*)((__global uchar*)line_memory + line_offset);
    __global float4* const out = (__global float4*)((__global uchar*)out_memory + out_offset);
    const uint global_id_x = (uint)get_global_id(0);
    const float t0 = (float)global_id_x;
    const int t1 = (as_uint(t0) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t0);
    const int4 t2 = line_copy_texel(line_copy, exact_sampler, max(min(t1, as_int(as_uint(vload4(0, values.line_image.size).x) - as_uint(1))), 0));
    const uint t3 = vload4(0, values.line_image.texel).x;
    const bool t4 = 2u < t3;
    const int3 t5 = (int3)(max(min(t1, as_int(as_uint(vload4(0, values.layers_image.size).x) - as_uint(1))), 0), max(min(t1, as_int(as_uint(vload4(0, values.layers_image.size).y) - as_uint(1))), 0), max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0));
    const float4 t6 = layers_copy_texel(layers_copy, exact_sampler, t5);
    const uint t7 = vload4(0, values.layers_image.texel).x;
    const bool t8 = 2u < t7;
    out[global_id_x] = (float4)(t6.x, 1u < t7 ? t6.y : 0.0f, t8 ? t6.z : 0.0f, t8 ? t6.w : 1.0f) + convert_float4((int4)(t2.x, 1u < t3 ? t2.y : 0, t4 ? t2.z : 0, t4 ? t2.w : 1));
}
