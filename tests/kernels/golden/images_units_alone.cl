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
    const float t1 = floor(t0);
    const float t2 = t1 + (t0 - t1 >= 0.5f ? 1.0f : 0.0f);
    const int t3 = (as_uint(t2) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t2);
    int var0 = t3;
    const int t4 = vload4(0, values.line_image.size).x;
    const uint t5 = (uint)t3;
    bool var1 = true;
    const bool t6 = !(t5 < (uint)t4);
    if (t6) {
        const uint t7 = vload4(0, values.line_image.sampler).w;
        const int t8 = as_int(as_uint(t4) - as_uint(1));
        int var4 = max(min(t3, t8), 0);
        if (t6) {
            if (t7 == 0u) {
                const int t9 = t4 == 0 || (t3 == (-2147483647 - 1) && t4 == -1) ? 1 : t4;
                const int t10 = as_int(as_uint(t3) - as_uint(as_int(as_uint(t3 / t9) * as_uint(t9))));
                var4 = as_int(as_uint(t10) + as_uint(t10 != 0 && (t10 ^ t4) < 0 ? t4 : 0));
            }
            if (t7 == 1u) {
                const int t11 = as_int(as_uint(t4) + as_uint(t4));
                const int t12 = t11 == 0 || (t3 == (-2147483647 - 1) && t11 == -1) ? 1 : t11;
                const int t13 = as_int(as_uint(t3) - as_uint(as_int(as_uint(t3 / t12) * as_uint(t12))));
                const int t14 = as_int(as_uint(t13) + as_uint(t13 != 0 && (t13 ^ t11) < 0 ? t11 : 0));
                var4 = min(t14, as_int(as_uint(as_int(as_uint(t11) - as_uint(1))) - as_uint(t14)));
            }
            if (t7 == 4u) {
                var4 = max(min(max(t3, as_int(as_uint(-1) - as_uint(t3))), t8), 0);
            }
        }
        var0 = var4;
        var1 = !(t6 && t7 == 3u);
    }
    const int t15 = var0;
    int4 var2 = as_int4(vload4(0, values.line_image.border));
    if (var1) {
        const int4 t16 = line_copy_texel(line_copy, exact_sampler, t15);
        const uint t17 = vload4(0, values.line_image.texel).x;
        const bool t18 = 2u < t17;
        var2 = (int4)(t16.x, 1u < t17 ? t16.y : 0, t18 ? t16.z : 0, t18 ? t16.w : 1);
    }
    float4 var3 = (float4)(0.0f);
    const float4 t19 = convert_float4(var2);
    if ((vload4(0, values.layers_image.texel).w & 1u) != 0u) {
        int var5 = t3;
        const int t20 = vload4(0, values.layers_image.size).x;
        const bool t21 = t5 < (uint)t20;
        int var6 = t3;
        const int t22 = vload4(0, values.layers_image.size).y;
        const bool t23 = t5 < (uint)t22;
        bool var7 = true;
        if (!(t21 && t23)) {
            const uint t24 = vload4(0, values.layers_image.sampler).w;
            const int t25 = as_int(as_uint(t20) - as_uint(1));
            int var9 = max(min(t3, t25), 0);
            const bool t26 = !t21;
            if (t26) {
                if (t24 == 0u) {
                    const int t27 = t20 == 0 || (t3 == (-2147483647 - 1) && t20 == -1) ? 1 : t20;
                    const int t28 = as_int(as_uint(t3) - as_uint(as_int(as_uint(t3 / t27) * as_uint(t27))));
                    var9 = as_int(as_uint(t28) + as_uint(t28 != 0 && (t28 ^ t20) < 0 ? t20 : 0));
                }
                if (t24 == 1u) {
                    const int t29 = as_int(as_uint(t20) + as_uint(t20));
                    const int t30 = t29 == 0 || (t3 == (-2147483647 - 1) && t29 == -1) ? 1 : t29;
                    const int t31 = as_int(as_uint(t3) - as_uint(as_int(as_uint(t3 / t30) * as_uint(t30))));
                    const int t32 = as_int(as_uint(t31) + as_uint(t31 != 0 && (t31 ^ t29) < 0 ? t29 : 0));
                    var9 = min(t32, as_int(as_uint(as_int(as_uint(t29) - as_uint(1))) - as_uint(t32)));
                }
                if (t24 == 4u) {
                    var9 = max(min(max(t3, as_int(as_uint(-1) - as_uint(t3))), t25), 0);
                }
            }
            const bool t33 = t24 == 3u;
            var5 = var9;
            const int t34 = as_int(as_uint(t22) - as_uint(1));
            int var10 = max(min(t3, t34), 0);
            const bool t35 = !t23;
            if (t35) {
                if (t24 == 0u) {
                    const int t36 = t22 == 0 || (t3 == (-2147483647 - 1) && t22 == -1) ? 1 : t22;
                    const int t37 = as_int(as_uint(t3) - as_uint(as_int(as_uint(t3 / t36) * as_uint(t36))));
                    var10 = as_int(as_uint(t37) + as_uint(t37 != 0 && (t37 ^ t22) < 0 ? t22 : 0));
                }
                if (t24 == 1u) {
                    const int t38 = as_int(as_uint(t22) + as_uint(t22));
                    const int t39 = t38 == 0 || (t3 == (-2147483647 - 1) && t38 == -1) ? 1 : t38;
                    const int t40 = as_int(as_uint(t3) - as_uint(as_int(as_uint(t3 / t39) * as_uint(t39))));
                    const int t41 = as_int(as_uint(t40) + as_uint(t40 != 0 && (t40 ^ t38) < 0 ? t38 : 0));
                    var10 = min(t41, as_int(as_uint(as_int(as_uint(t38) - as_uint(1))) - as_uint(t41)));
                }
                if (t24 == 4u) {
                    var10 = max(min(max(t3, as_int(as_uint(-1) - as_uint(t3))), t34), 0);
                }
            }
            var6 = var10;
            var7 = !(t26 && t33) && !(t35 && t33);
        }
        const int t42 = var5;
        const int t43 = var6;
        const int t44 = max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0);
        float4 var8 = as_float4(vload4(0, values.layers_image.border));
        if (var7) {
            const float4 t45 = layers_copy_texel(layers_copy, exact_sampler, (int3)(t42, t43, t44));
            const uint t46 = vload4(0, values.layers_image.texel).x;
            const bool t47 = 2u < t46;
            var8 = (float4)(t45.x, 1u < t46 ? t45.y : 0.0f, t47 ? t45.z : 0.0f, t47 ? t45.w : 1.0f);
        }
        var3 = var8;
    } else {
        const float t48 = t0 + 0.5f;
        const float t49 = fmin(fmax(vload4(0, values.layers_image.sampler).w == 4u ? fabs(t48) : t48, -1073741800.0f), 1073741800.0f);
        const float3 t50 = (float3)(t49 * vload4(0, values.layers_image.unit).x, t49 * vload4(0, values.layers_image.unit).y, (float)max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0));
        const float4 t51 = layers_copy_filtered(layers_copy, layers_copy_sampler, t50);
        const uint t52 = vload4(0, values.layers_image.texel).x;
        const bool t53 = 2u < t52;
        var3 = (float4)(t51.x, 1u < t52 ? t51.y : 0.0f, t53 ? t51.z : 0.0f, t53 ? t51.w : 1.0f);
    }
    out[global_id_x] = var3 + t19;
}
