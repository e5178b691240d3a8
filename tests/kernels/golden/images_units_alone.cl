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
    const float t0 = (float)global_id_x;
    const int t1 = (as_uint(t0) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t0);
    int var0 = t1;
    const int t2 = vload4(0, values.line_image.size).x;
    const uint t3 = (uint)t1;
    bool var1 = true;
    const bool t4 = !(t3 < (uint)t2);
    if (t4) {
        const uint t5 = vload4(0, values.line_image.sampler).w;
        const int t6 = as_int(as_uint(t2) - as_uint(1));
        int var4 = max(min(t1, t6), 0);
        if (t4) {
            if (t5 == 0u) {
                const int t7 = t2 == 0 || (t1 == (-2147483647 - 1) && t2 == -1) ? 1 : t2;
                const int t8 = as_int(as_uint(t1) - as_uint(as_int(as_uint(t1 / t7) * as_uint(t7))));
                var4 = as_int(as_uint(t8) + as_uint(t8 != 0 && (t8 ^ t2) < 0 ? t2 : 0));
            }
            if (t5 == 1u) {
                const int t9 = as_int(as_uint(t2) + as_uint(t2));
                const int t10 = t9 == 0 || (t1 == (-2147483647 - 1) && t9 == -1) ? 1 : t9;
                const int t11 = as_int(as_uint(t1) - as_uint(as_int(as_uint(t1 / t10) * as_uint(t10))));
                const int t12 = as_int(as_uint(t11) + as_uint(t11 != 0 && (t11 ^ t9) < 0 ? t9 : 0));
                var4 = min(t12, as_int(as_uint(as_int(as_uint(t9) - as_uint(1))) - as_uint(t12)));
            }
            if (t5 == 4u) {
                var4 = max(min(max(t1, as_int(as_uint(-1) - as_uint(t1))), t6), 0);
            }
        }
        var0 = var4;
        var1 = !(t4 && t5 == 3u);
    }
    const int t13 = var0;
    int4 var2 = as_int4(vload4(0, values.line_image.border));
    if (var1) {
        const int4 t14 = line_copy_texel(line_copy, exact_sampler, t13);
        const uint t15 = vload4(0, values.line_image.texel).x;
        const bool t16 = 2u < t15;
        var2 = (int4)(t14.x, 1u < t15 ? t14.y : 0, t16 ? t14.z : 0, t16 ? t14.w : 1);
    }
    float4 var3 = (float4)(0.0f);
    const float4 t17 = convert_float4(var2);
    if ((vload4(0, values.layers_image.texel).w & 1u) != 0u) {
        int var5 = t1;
        const int t18 = vload4(0, values.layers_image.size).x;
        const bool t19 = t3 < (uint)t18;
        int var6 = t1;
        const int t20 = vload4(0, values.layers_image.size).y;
        const bool t21 = t3 < (uint)t20;
        bool var7 = true;
        if (!(t19 && t21)) {
            const uint t22 = vload4(0, values.layers_image.sampler).w;
            const int t23 = as_int(as_uint(t18) - as_uint(1));
            int var9 = max(min(t1, t23), 0);
            const bool t24 = !t19;
            if (t24) {
                if (t22 == 0u) {
                    const int t25 = t18 == 0 || (t1 == (-2147483647 - 1) && t18 == -1) ? 1 : t18;
                    const int t26 = as_int(as_uint(t1) - as_uint(as_int(as_uint(t1 / t25) * as_uint(t25))));
                    var9 = as_int(as_uint(t26) + as_uint(t26 != 0 && (t26 ^ t18) < 0 ? t18 : 0));
                }
                if (t22 == 1u) {
                    const int t27 = as_int(as_uint(t18) + as_uint(t18));
                    const int t28 = t27 == 0 || (t1 == (-2147483647 - 1) && t27 == -1) ? 1 : t27;
                    const int t29 = as_int(as_uint(t1) - as_uint(as_int(as_uint(t1 / t28) * as_uint(t28))));
                    const int t30 = as_int(as_uint(t29) + as_uint(t29 != 0 && (t29 ^ t27) < 0 ? t27 : 0));
                    var9 = min(t30, as_int(as_uint(as_int(as_uint(t27) - as_uint(1))) - as_uint(t30)));
                }
                if (t22 == 4u) {
                    var9 = max(min(max(t1, as_int(as_uint(-1) - as_uint(t1))), t23), 0);
                }
            }
            const bool t31 = t22 == 3u;
            var5 = var9;
            const int t32 = as_int(as_uint(t20) - as_uint(1));
            int var10 = max(min(t1, t32), 0);
            const bool t33 = !t21;
            if (t33) {
                if (t22 == 0u) {
                    const int t34 = t20 == 0 || (t1 == (-2147483647 - 1) && t20 == -1) ? 1 : t20;
                    const int t35 = as_int(as_uint(t1) - as_uint(as_int(as_uint(t1 / t34) * as_uint(t34))));
                    var10 = as_int(as_uint(t35) + as_uint(t35 != 0 && (t35 ^ t20) < 0 ? t20 : 0));
                }
                if (t22 == 1u) {
                    const int t36 = as_int(as_uint(t20) + as_uint(t20));
                    const int t37 = t36 == 0 || (t1 == (-2147483647 - 1) && t36 == -1) ? 1 : t36;
                    const int t38 = as_int(as_uint(t1) - as_uint(as_int(as_uint(t1 / t37) * as_uint(t37))));
                    const int t39 = as_int(as_uint(t38) + as_uint(t38 != 0 && (t38 ^ t36) < 0 ? t36 : 0));
                    var10 = min(t39, as_int(as_uint(as_int(as_uint(t36) - as_uint(1))) - as_uint(t39)));
                }
                if (t22 == 4u) {
                    var10 = max(min(max(t1, as_int(as_uint(-1) - as_uint(t1))), t32), 0);
                }
            }
            var6 = var10;
            var7 = !(t24 && t31) && !(t33 && t31);
        }
        const int t40 = var5;
        const int t41 = var6;
        const int t42 = max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0);
        float4 var8 = as_float4(vload4(0, values.layers_image.border));
        if (var7) {
            const float4 t43 = layers_copy_texel(layers_copy, exact_sampler, (int3)(t40, t41, t42));
            const uint t44 = vload4(0, values.layers_image.texel).x;
            const bool t45 = 2u < t44;
            var8 = (float4)(t43.x, 1u < t44 ? t43.y : 0.0f, t45 ? t43.z : 0.0f, t45 ? t43.w : 1.0f);
        }
        var3 = var8;
    } else {
        const float t46 = t0 + 0.5f;
        const float t47 = fmin(fmax(vload4(0, values.layers_image.sampler).w == 4u ? fabs(t46) : t46, -1073741800.0f), 1073741800.0f);
        const float3 t48 = (float3)(t47 * vload4(0, values.layers_image.unit).x, t47 * vload4(0, values.layers_image.unit).y, (float)max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0));
        const float4 t49 = layers_copy_filtered(layers_copy, layers_copy_sampler, t48);
        const uint t50 = vload4(0, values.layers_image.texel).x;
        const bool t51 = 2u < t50;
        var3 = (float4)(t49.x, 1u < t50 ? t49.y : 0.0f, t51 ? t49.z : 0.0f, t51 ? t49.w : 1.0f);
    }
    out[global_id_x] = var3 + t17;
}
