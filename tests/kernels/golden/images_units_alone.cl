int4 line_copy_texel(read_only image1d_t image, sampler_t how, int at) {
    return read_imagei(image, how, at);
}
float4 layers_copy_texel(read_only image2d_array_t image, sampler_t how, int3 at) {
    return read_imagef(image, how, (int4)(at, 0));
}
float4 layers_copy_filtered(read_only image2d_array_t image, sampler_t how, float3 at) {
    return read_imagef(image, how, (float4)(at, 0.0f));
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
    const float t0 = (float)global_id_x + 0.5f;
    const float t1 = floor(t0);
    const int t2 = (as_uint(t1) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t1);
    int var0 = t2;
    const int t3 = vload4(0, values.line_image.size).x;
    const uint t4 = (uint)t2;
    bool var1 = true;
    const bool t5 = !(t4 < (uint)t3);
    if (t5) {
        const uint t6 = vload4(0, values.line_image.sampler).w;
        const int t7 = as_int(as_uint(t3) - as_uint(1));
        int var4 = max(min(t2, t7), 0);
        if (t5) {
            if (t6 == 0u) {
                const int t8 = t3 == 0 || (t2 == (-2147483647 - 1) && t3 == -1) ? 1 : t3;
                const int t9 = as_int(as_uint(t2) - as_uint(as_int(as_uint(t2 / t8) * as_uint(t8))));
                var4 = as_int(as_uint(t9) + as_uint(t9 != 0 && (t9 ^ t3) < 0 ? t3 : 0));
            }
            if (t6 == 1u) {
                const int t10 = as_int(as_uint(t3) + as_uint(t3));
                const int t11 = t10 == 0 || (t2 == (-2147483647 - 1) && t10 == -1) ? 1 : t10;
                const int t12 = as_int(as_uint(t2) - as_uint(as_int(as_uint(t2 / t11) * as_uint(t11))));
                const int t13 = as_int(as_uint(t12) + as_uint(t12 != 0 && (t12 ^ t10) < 0 ? t10 : 0));
                var4 = min(t13, as_int(as_uint(as_int(as_uint(t10) - as_uint(1))) - as_uint(t13)));
            }
            if (t6 == 4u) {
                var4 = max(min(max(t2, as_int(as_uint(-1) - as_uint(t2))), t7), 0);
            }
        }
        var0 = var4;
        var1 = !(t5 && t6 == 3u);
    }
    const int t14 = var0;
    int4 var2 = as_int4(vload4(0, values.line_image.border));
    if (var1) {
        const int4 t15 = line_copy_texel(line_copy, exact_sampler, t14);
        const uint t16 = vload4(0, values.line_image.texel).x;
        const bool t17 = 2u < t16;
        var2 = (int4)(t15.x, 1u < t16 ? t15.y : 0, t17 ? t15.z : 0, t17 ? t15.w : 1);
    }
    float4 var3 = (float4)(0.0f);
    const float4 t18 = convert_float4(var2);
    if ((vload4(0, values.layers_image.texel).w & 1u) != 0u) {
        int var5 = t2;
        const int t19 = vload4(0, values.layers_image.size).x;
        const bool t20 = t4 < (uint)t19;
        int var6 = t2;
        const int t21 = vload4(0, values.layers_image.size).y;
        const bool t22 = t4 < (uint)t21;
        bool var7 = true;
        if (!(t20 && t22)) {
            const uint t23 = vload4(0, values.layers_image.sampler).w;
            const int t24 = as_int(as_uint(t19) - as_uint(1));
            int var9 = max(min(t2, t24), 0);
            const bool t25 = !t20;
            if (t25) {
                if (t23 == 0u) {
                    const int t26 = t19 == 0 || (t2 == (-2147483647 - 1) && t19 == -1) ? 1 : t19;
                    const int t27 = as_int(as_uint(t2) - as_uint(as_int(as_uint(t2 / t26) * as_uint(t26))));
                    var9 = as_int(as_uint(t27) + as_uint(t27 != 0 && (t27 ^ t19) < 0 ? t19 : 0));
                }
                if (t23 == 1u) {
                    const int t28 = as_int(as_uint(t19) + as_uint(t19));
                    const int t29 = t28 == 0 || (t2 == (-2147483647 - 1) && t28 == -1) ? 1 : t28;
                    const int t30 = as_int(as_uint(t2) - as_uint(as_int(as_uint(t2 / t29) * as_uint(t29))));
                    const int t31 = as_int(as_uint(t30) + as_uint(t30 != 0 && (t30 ^ t28) < 0 ? t28 : 0));
                    var9 = min(t31, as_int(as_uint(as_int(as_uint(t28) - as_uint(1))) - as_uint(t31)));
                }
                if (t23 == 4u) {
                    var9 = max(min(max(t2, as_int(as_uint(-1) - as_uint(t2))), t24), 0);
                }
            }
            const bool t32 = t23 == 3u;
            var5 = var9;
            const int t33 = as_int(as_uint(t21) - as_uint(1));
            int var10 = max(min(t2, t33), 0);
            const bool t34 = !t22;
            if (t34) {
                if (t23 == 0u) {
                    const int t35 = t21 == 0 || (t2 == (-2147483647 - 1) && t21 == -1) ? 1 : t21;
                    const int t36 = as_int(as_uint(t2) - as_uint(as_int(as_uint(t2 / t35) * as_uint(t35))));
                    var10 = as_int(as_uint(t36) + as_uint(t36 != 0 && (t36 ^ t21) < 0 ? t21 : 0));
                }
                if (t23 == 1u) {
                    const int t37 = as_int(as_uint(t21) + as_uint(t21));
                    const int t38 = t37 == 0 || (t2 == (-2147483647 - 1) && t37 == -1) ? 1 : t37;
                    const int t39 = as_int(as_uint(t2) - as_uint(as_int(as_uint(t2 / t38) * as_uint(t38))));
                    const int t40 = as_int(as_uint(t39) + as_uint(t39 != 0 && (t39 ^ t37) < 0 ? t37 : 0));
                    var10 = min(t40, as_int(as_uint(as_int(as_uint(t37) - as_uint(1))) - as_uint(t40)));
                }
                if (t23 == 4u) {
                    var10 = max(min(max(t2, as_int(as_uint(-1) - as_uint(t2))), t33), 0);
                }
            }
            var6 = var10;
            var7 = !(t25 && t32) && !(t34 && t32);
        }
        const int t41 = var5;
        const int t42 = var6;
        const int t43 = max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0);
        float4 var8 = as_float4(vload4(0, values.layers_image.border));
        if (var7) {
            const float4 t44 = layers_copy_texel(layers_copy, exact_sampler, (int3)(t41, t42, t43));
            const uint t45 = vload4(0, values.layers_image.texel).x;
            const bool t46 = 2u < t45;
            var8 = (float4)(t44.x, 1u < t45 ? t44.y : 0.0f, t46 ? t44.z : 0.0f, t46 ? t44.w : 1.0f);
        }
        var3 = var8;
    } else {
        const float t47 = fmin(fmax(vload4(0, values.layers_image.sampler).w == 4u ? fabs(t0) : t0, -1073741800.0f), 1073741800.0f);
        const float3 t48 = (float3)(t47 * vload4(0, values.layers_image.unit).x, t47 * vload4(0, values.layers_image.unit).y, (float)max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0));
        const float4 t49 = layers_copy_filtered(layers_copy, layers_copy_sampler, t48);
        const uint t50 = vload4(0, values.layers_image.texel).x;
        const bool t51 = 2u < t50;
        var3 = (float4)(t49.x, 1u < t50 ? t49.y : 0.0f, t51 ? t49.z : 0.0f, t51 ? t49.w : 1.0f);
    }
    out[global_id_x] = var3 + t18;
}
