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
    const float t1 = floor(t0);
    const float t2 = t1 + (t0 - t1 >= 0.5f ? 1.0f : 0.0f);
    const int t3 = (as_uint(t2) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t2);
    const int4 t4 = line_copy_texel(line_copy, exact_sampler, max(min(t3, as_int(as_uint(vload4(0, values.line_image.size).x) - as_uint(1))), 0));
    const uint t5 = vload4(0, values.line_image.texel).x;
    const bool t6 = 2u < t5;
    const int3 t7 = (int3)(max(min(t3, as_int(as_uint(vload4(0, values.layers_image.size).x) - as_uint(1))), 0), max(min(t3, as_int(as_uint(vload4(0, values.layers_image.size).y) - as_uint(1))), 0), max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0));
    const float4 t8 = layers_copy_texel(layers_copy, exact_sampler, t7);
    const uint t9 = vload4(0, values.layers_image.texel).x;
    const bool t10 = 2u < t9;
    out[global_id_x] = (float4)(t8.x, 1u < t9 ? t8.y : 0.0f, t10 ? t8.z : 0.0f, t10 ? t8.w : 1.0f) + convert_float4((int4)(t4.x, 1u < t5 ? t4.y : 0, t6 ? t4.z : 0, t6 ? t4.w : 1));
}
