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
void vkdispatch_main(__global const uint* layers_memory, ulong layers_offset, __global const uint* line_memory, ulong line_offset, __global float4* out_memory, ulong out_offset, const Block_values values, sampler_t exact_sampler, read_only image2d_array_t layers_copy, sampler_t layers_copy_sampler, read_only image1d_t line_copy, sampler_t line_copy_sampler) {
    __global const uint* const layers = (__global const uint*)((__global const uchar*)layers_memory + layers_offset);
    __global const uint* const line = (__global const uint*)((__global const uchar*)line_memory + line_offset);
    __global float4* const out = (__global float4*)((__global uchar*)out_memory + out_offset);
    const uint global_id_x = (uint)get_global_id(0);
    const float t0 = (float)global_id_x;
    int4 var0 = (int4)(0);
    const uint t1 = vload4(0, values.line_image.texel).w;
    if ((t1 & 1u) != 0u) {
        const float t2 = floor(t0);
        const float t3 = t2 + (t0 - t2 >= 0.5f ? 1.0f : 0.0f);
        const int t4 = (as_uint(t3) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t3);
        int var2 = t4;
        const int t5 = vload4(0, values.line_image.size).x;
        bool var3 = true;
        const bool t6 = !((uint)t4 < (uint)t5);
        if (t6) {
            const uint t7 = vload4(0, values.line_image.sampler).w;
            const int t8 = as_int(as_uint(t5) - as_uint(1));
            int var5 = max(min(t4, t8), 0);
            if (t6) {
                if (t7 == 0u) {
                    const int t9 = t5 == 0 || (t4 == (-2147483647 - 1) && t5 == -1) ? 1 : t5;
                    const int t10 = as_int(as_uint(t4) - as_uint(as_int(as_uint(t4 / t9) * as_uint(t9))));
                    var5 = as_int(as_uint(t10) + as_uint(t10 != 0 && (t10 ^ t5) < 0 ? t5 : 0));
                }
                if (t7 == 1u) {
                    const int t11 = as_int(as_uint(t5) + as_uint(t5));
                    const int t12 = t11 == 0 || (t4 == (-2147483647 - 1) && t11 == -1) ? 1 : t11;
                    const int t13 = as_int(as_uint(t4) - as_uint(as_int(as_uint(t4 / t12) * as_uint(t12))));
                    const int t14 = as_int(as_uint(t13) + as_uint(t13 != 0 && (t13 ^ t11) < 0 ? t11 : 0));
                    var5 = min(t14, as_int(as_uint(as_int(as_uint(t11) - as_uint(1))) - as_uint(t14)));
                }
                if (t7 == 4u) {
                    var5 = max(min(max(t4, as_int(as_uint(-1) - as_uint(t4))), t8), 0);
                }
            }
            var2 = var5;
            var3 = !(t6 && t7 == 3u);
        }
        const int t15 = var2;
        int4 var4 = as_int4(vload4(0, values.line_image.border));
        if (var3) {
            if ((t1 & 8u) != 0u) {
                const int4 t16 = line_copy_texel(line_copy, exact_sampler, t15);
                const uint t17 = vload4(0, values.line_image.texel).x;
                const bool t18 = 2u < t17;
                var4 = (int4)(t16.x, 1u < t17 ? t16.y : 0, t18 ? t16.z : 0, t18 ? t16.w : 1);
            } else {
                const uint t19 = (uint)t15;
                if ((t1 & 4u) != 0u) {
                    var4 = (int4)(as_int(line[t19]), 0, 0, 1);
                } else {
                    const uint t20 = vload4(0, values.line_image.texel).x;
                    const uint t21 = t19 * t20;
                    int4 var6 = (int4)(0, 0, 0, 1);
                    const uint t22 = vload4(0, values.line_image.texel).y;
                    const bool t23 = t22 == 16u;
                    const bool t24 = t22 == 32u;
                    const uint t25 = (t24 ? 0u : (t23 ? 1u : 2u)) & 31u;
                    const uint t26 = (1u << t25) - 1u;
                    const uint t27 = line[t21 >> t25] >> (((t21 & t26) * t22) & 31u);
                    var6.x = t24 ? as_int(t27) : (t23 ? as_int(t27 << 16u) >> 16u : as_int(t27 << 24u) >> 24u);
                    if (1u < t20) {
                        const uint t28 = t21 + 1u;
                        const uint t29 = line[t28 >> t25] >> (((t28 & t26) * t22) & 31u);
                        var6.y = t24 ? as_int(t29) : (t23 ? as_int(t29 << 16u) >> 16u : as_int(t29 << 24u) >> 24u);
                        if (2u < t20) {
                            const uint t30 = t21 + 2u;
                            const uint t31 = line[t30 >> t25] >> (((t30 & t26) * t22) & 31u);
                            var6.z = t24 ? as_int(t31) : (t23 ? as_int(t31 << 16u) >> 16u : as_int(t31 << 24u) >> 24u);
                            const uint t32 = t21 + 3u;
                            const uint t33 = line[t32 >> t25] >> (((t32 & t26) * t22) & 31u);
                            var6.w = t24 ? as_int(t33) : (t23 ? as_int(t33 << 16u) >> 16u : as_int(t33 << 24u) >> 24u);
                        }
                    }
                    var4 = var6;
                }
            }
        }
        var0 = var4;
    } else {
        const float t34 = fmin(fmax(fmin(fmax(vload4(0, values.line_image.level).x + 0.0f, vload4(0, values.line_image.level).y), vload4(0, values.line_image.level).z), 0.0f), (float)as_int(as_uint(vload4(0, values.line_image.size).w) - as_uint(1)));
        const float t35 = ceil(t34 - 0.5f);
        const int t36 = (as_uint(t35) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t35);
        int4 var7 = (int4)(0);
        const bool t37 = t36 == 0;
        const bool t38 = (t1 & 8u) != 0u;
        if (t38 && t37) {
            const float t39 = floor(t0);
            const float t40 = t39 + (t0 - t39 >= 0.5f ? 1.0f : 0.0f);
            const int t41 = (as_uint(t40) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t40);
            int var8 = t41;
            const int t42 = vload4(0, values.line_image.size).x;
            bool var9 = true;
            const bool t43 = !((uint)t41 < (uint)t42);
            if (t43) {
                const uint t44 = vload4(0, values.line_image.sampler).w;
                const int t45 = as_int(as_uint(t42) - as_uint(1));
                int var11 = max(min(t41, t45), 0);
                if (t43) {
                    if (t44 == 0u) {
                        const int t46 = t42 == 0 || (t41 == (-2147483647 - 1) && t42 == -1) ? 1 : t42;
                        const int t47 = as_int(as_uint(t41) - as_uint(as_int(as_uint(t41 / t46) * as_uint(t46))));
                        var11 = as_int(as_uint(t47) + as_uint(t47 != 0 && (t47 ^ t42) < 0 ? t42 : 0));
                    }
                    if (t44 == 1u) {
                        const int t48 = as_int(as_uint(t42) + as_uint(t42));
                        const int t49 = t48 == 0 || (t41 == (-2147483647 - 1) && t48 == -1) ? 1 : t48;
                        const int t50 = as_int(as_uint(t41) - as_uint(as_int(as_uint(t41 / t49) * as_uint(t49))));
                        const int t51 = as_int(as_uint(t50) + as_uint(t50 != 0 && (t50 ^ t48) < 0 ? t48 : 0));
                        var11 = min(t51, as_int(as_uint(as_int(as_uint(t48) - as_uint(1))) - as_uint(t51)));
                    }
                    if (t44 == 4u) {
                        var11 = max(min(max(t41, as_int(as_uint(-1) - as_uint(t41))), t45), 0);
                    }
                }
                var8 = var11;
                var9 = !(t43 && t44 == 3u);
            }
            const int t52 = var8;
            int4 var10 = as_int4(vload4(0, values.line_image.border));
            if (var9) {
                if (t38) {
                    const int4 t53 = line_copy_texel(line_copy, exact_sampler, t52);
                    const uint t54 = vload4(0, values.line_image.texel).x;
                    const bool t55 = 2u < t54;
                    var10 = (int4)(t53.x, 1u < t54 ? t53.y : 0, t55 ? t53.z : 0, t55 ? t53.w : 1);
                } else {
                    const uint t56 = (uint)t52;
                    if ((t1 & 4u) != 0u) {
                        var10 = (int4)(as_int(line[t56]), 0, 0, 1);
                    } else {
                        const uint t57 = vload4(0, values.line_image.texel).x;
                        const uint t58 = t56 * t57;
                        int4 var12 = (int4)(0, 0, 0, 1);
                        const uint t59 = vload4(0, values.line_image.texel).y;
                        const bool t60 = t59 == 16u;
                        const bool t61 = t59 == 32u;
                        const uint t62 = (t61 ? 0u : (t60 ? 1u : 2u)) & 31u;
                        const uint t63 = (1u << t62) - 1u;
                        const uint t64 = line[t58 >> t62] >> (((t58 & t63) * t59) & 31u);
                        var12.x = t61 ? as_int(t64) : (t60 ? as_int(t64 << 16u) >> 16u : as_int(t64 << 24u) >> 24u);
                        if (1u < t57) {
                            const uint t65 = t58 + 1u;
                            const uint t66 = line[t65 >> t62] >> (((t65 & t63) * t59) & 31u);
                            var12.y = t61 ? as_int(t66) : (t60 ? as_int(t66 << 16u) >> 16u : as_int(t66 << 24u) >> 24u);
                            if (2u < t57) {
                                const uint t67 = t58 + 2u;
                                const uint t68 = line[t67 >> t62] >> (((t67 & t63) * t59) & 31u);
                                var12.z = t61 ? as_int(t68) : (t60 ? as_int(t68 << 16u) >> 16u : as_int(t68 << 24u) >> 24u);
                                const uint t69 = t58 + 3u;
                                const uint t70 = line[t69 >> t62] >> (((t69 & t63) * t59) & 31u);
                                var12.w = t61 ? as_int(t70) : (t60 ? as_int(t70 << 16u) >> 16u : as_int(t70 << 24u) >> 24u);
                            }
                        }
                        var10 = var12;
                    }
                }
            }
            var7 = var10;
        } else {
            const int t71 = vload4(0, values.line_image.size).x;
            const int t72 = max(t71 >> (t36 & 31), 1);
            const float t73 = t37 ? 1.0f : (float)t72 / (float)t71;
            const float t74 = fmin(fmax(t0 * t73 + (t73 * 0.5f - 0.5f), -1073741800.0f), 1073741800.0f);
            const float t75 = floor(t74);
            const float t76 = t75 + (t74 - t75 >= 0.5f ? 1.0f : 0.0f);
            const int t77 = (as_uint(t76) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t76);
            const uint t78 = vload4(0, values.line_image.sampler).w;
            const int t79 = as_int(as_uint(t72) - as_uint(1));
            int var13 = max(min(t77, t79), 0);
            const bool t80 = !((uint)t77 < (uint)t72);
            if (t80) {
                if (t78 == 0u) {
                    const int t81 = t72 == 0 || (t77 == (-2147483647 - 1) && t72 == -1) ? 1 : t72;
                    const int t82 = as_int(as_uint(t77) - as_uint(as_int(as_uint(t77 / t81) * as_uint(t81))));
                    var13 = as_int(as_uint(t82) + as_uint(t82 != 0 && (t82 ^ t72) < 0 ? t72 : 0));
                }
                if (t78 == 1u) {
                    const int t83 = as_int(as_uint(t72) + as_uint(t72));
                    const int t84 = t83 == 0 || (t77 == (-2147483647 - 1) && t83 == -1) ? 1 : t83;
                    const int t85 = as_int(as_uint(t77) - as_uint(as_int(as_uint(t77 / t84) * as_uint(t84))));
                    const int t86 = as_int(as_uint(t85) + as_uint(t85 != 0 && (t85 ^ t83) < 0 ? t83 : 0));
                    var13 = min(t86, as_int(as_uint(as_int(as_uint(t83) - as_uint(1))) - as_uint(t86)));
                }
                if (t78 == 4u) {
                    var13 = max(min(max(t77, as_int(as_uint(-1) - as_uint(t77))), t79), 0);
                }
            }
            const int t87 = var13;
            int4 var14 = as_int4(vload4(0, values.line_image.border));
            if (!(t80 && t78 == 3u)) {
                const uint t88 = (uint)t36;
                const uint4 t89 = vload4(0, values.line_image.from[t88 >> 2u]);
                const uint t90 = t88 & 3u;
                const uint t91 = vload4(0, values.line_image.texel).x;
                const uint t92 = ((t90 == 3u ? t89.w : (t90 == 2u ? t89.z : (t90 == 1u ? t89.y : t89.x))) + (uint)t87) * t91;
                int4 var15 = (int4)(0, 0, 0, 1);
                const uint t93 = vload4(0, values.line_image.texel).y;
                const bool t94 = t93 == 16u;
                const bool t95 = t93 == 32u;
                const uint t96 = (t95 ? 0u : (t94 ? 1u : 2u)) & 31u;
                const uint t97 = (1u << t96) - 1u;
                const uint t98 = line[t92 >> t96] >> (((t92 & t97) * t93) & 31u);
                var15.x = t95 ? as_int(t98) : (t94 ? as_int(t98 << 16u) >> 16u : as_int(t98 << 24u) >> 24u);
                if (1u < t91) {
                    const uint t99 = t92 + 1u;
                    const uint t100 = line[t99 >> t96] >> (((t99 & t97) * t93) & 31u);
                    var15.y = t95 ? as_int(t100) : (t94 ? as_int(t100 << 16u) >> 16u : as_int(t100 << 24u) >> 24u);
                    if (2u < t91) {
                        const uint t101 = t92 + 2u;
                        const uint t102 = line[t101 >> t96] >> (((t101 & t97) * t93) & 31u);
                        var15.z = t95 ? as_int(t102) : (t94 ? as_int(t102 << 16u) >> 16u : as_int(t102 << 24u) >> 24u);
                        const uint t103 = t92 + 3u;
                        const uint t104 = line[t103 >> t96] >> (((t103 & t97) * t93) & 31u);
                        var15.w = t95 ? as_int(t104) : (t94 ? as_int(t104 << 16u) >> 16u : as_int(t104 << 24u) >> 24u);
                    }
                }
                var14 = var15;
            }
            var7 = var14;
        }
        var0 = var7;
    }
    float4 var1 = (float4)(0.0f);
    const uint t105 = vload4(0, values.layers_image.texel).w;
    const float4 t106 = convert_float4(var0);
    if ((t105 & 1u) != 0u) {
        const float t107 = floor(t0);
        const float t108 = t107 + (t0 - t107 >= 0.5f ? 1.0f : 0.0f);
        const int t109 = (as_uint(t108) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t108);
        int var16 = t109;
        const int t110 = vload4(0, values.layers_image.size).x;
        const uint t111 = (uint)t110;
        const uint t112 = (uint)t109;
        const bool t113 = t112 < t111;
        int var17 = t109;
        const int t114 = vload4(0, values.layers_image.size).y;
        const uint t115 = (uint)t114;
        const bool t116 = t112 < t115;
        bool var18 = true;
        if (!(t113 && t116)) {
            const uint t117 = vload4(0, values.layers_image.sampler).w;
            const int t118 = as_int(as_uint(t110) - as_uint(1));
            int var20 = max(min(t109, t118), 0);
            const bool t119 = !t113;
            if (t119) {
                if (t117 == 0u) {
                    const int t120 = t110 == 0 || (t109 == (-2147483647 - 1) && t110 == -1) ? 1 : t110;
                    const int t121 = as_int(as_uint(t109) - as_uint(as_int(as_uint(t109 / t120) * as_uint(t120))));
                    var20 = as_int(as_uint(t121) + as_uint(t121 != 0 && (t121 ^ t110) < 0 ? t110 : 0));
                }
                if (t117 == 1u) {
                    const int t122 = as_int(as_uint(t110) + as_uint(t110));
                    const int t123 = t122 == 0 || (t109 == (-2147483647 - 1) && t122 == -1) ? 1 : t122;
                    const int t124 = as_int(as_uint(t109) - as_uint(as_int(as_uint(t109 / t123) * as_uint(t123))));
                    const int t125 = as_int(as_uint(t124) + as_uint(t124 != 0 && (t124 ^ t122) < 0 ? t122 : 0));
                    var20 = min(t125, as_int(as_uint(as_int(as_uint(t122) - as_uint(1))) - as_uint(t125)));
                }
                if (t117 == 4u) {
                    var20 = max(min(max(t109, as_int(as_uint(-1) - as_uint(t109))), t118), 0);
                }
            }
            const bool t126 = t117 == 3u;
            var16 = var20;
            const int t127 = as_int(as_uint(t114) - as_uint(1));
            int var21 = max(min(t109, t127), 0);
            const bool t128 = !t116;
            if (t128) {
                if (t117 == 0u) {
                    const int t129 = t114 == 0 || (t109 == (-2147483647 - 1) && t114 == -1) ? 1 : t114;
                    const int t130 = as_int(as_uint(t109) - as_uint(as_int(as_uint(t109 / t129) * as_uint(t129))));
                    var21 = as_int(as_uint(t130) + as_uint(t130 != 0 && (t130 ^ t114) < 0 ? t114 : 0));
                }
                if (t117 == 1u) {
                    const int t131 = as_int(as_uint(t114) + as_uint(t114));
                    const int t132 = t131 == 0 || (t109 == (-2147483647 - 1) && t131 == -1) ? 1 : t131;
                    const int t133 = as_int(as_uint(t109) - as_uint(as_int(as_uint(t109 / t132) * as_uint(t132))));
                    const int t134 = as_int(as_uint(t133) + as_uint(t133 != 0 && (t133 ^ t131) < 0 ? t131 : 0));
                    var21 = min(t134, as_int(as_uint(as_int(as_uint(t131) - as_uint(1))) - as_uint(t134)));
                }
                if (t117 == 4u) {
                    var21 = max(min(max(t109, as_int(as_uint(-1) - as_uint(t109))), t127), 0);
                }
            }
            var17 = var21;
            var18 = !(t119 && t126) && !(t128 && t126);
        }
        const int t135 = var16;
        const int t136 = var17;
        const int t137 = max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0);
        float4 var19 = as_float4(vload4(0, values.layers_image.border));
        if (var18) {
            if ((t105 & 8u) != 0u) {
                const float4 t138 = layers_copy_texel(layers_copy, exact_sampler, (int3)(t135, t136, t137));
                const uint t139 = vload4(0, values.layers_image.texel).x;
                const bool t140 = 2u < t139;
                var19 = (float4)(t138.x, 1u < t139 ? t138.y : 0.0f, t140 ? t138.z : 0.0f, t140 ? t138.w : 1.0f);
            } else {
                const uint t141 = ((uint)t137 * t115 + (uint)t136) * t111 + (uint)t135;
                if ((t105 & 4u) != 0u) {
                    var19 = (float4)(as_float(layers[t141]), 0.0f, 0.0f, 1.0f);
                } else {
                    const uint t142 = vload4(0, values.layers_image.texel).x;
                    const uint t143 = t141 * t142;
                    float4 var22 = (float4)(0.0f, 0.0f, 0.0f, 1.0f);
                    const uint t144 = vload4(0, values.layers_image.texel).y;
                    const bool t145 = t144 == 16u;
                    const bool t146 = t144 == 32u;
                    const uint t147 = (t146 ? 0u : (t145 ? 1u : 2u)) & 31u;
                    const uint t148 = (1u << t147) - 1u;
                    const uint t149 = layers[t143 >> t147] >> (((t143 & t148) * t144) & 31u);
                    const uint t150 = t149 & 1023u;
                    const uint t151 = (t149 >> 10u) & 31u;
                    const uint t152 = t150 << 13u;
                    const float t153 = t145 ? as_float(((t149 & 32768u) << 16u) | (t151 == 0u ? as_uint((float)t150 * 5.9604645e-08f) : (t151 == 31u ? t152 | 2139095040u : ((t151 + 112u) << 23u) | t152))) : (float)(t149 & 255u) / 255.0f;
                    var22.x = t146 ? as_float(t149) : t153;
                    if (1u < t142) {
                        const uint t154 = t143 + 1u;
                        const uint t155 = layers[t154 >> t147] >> (((t154 & t148) * t144) & 31u);
                        const uint t156 = t155 & 1023u;
                        const uint t157 = (t155 >> 10u) & 31u;
                        const uint t158 = t156 << 13u;
                        const float t159 = t145 ? as_float(((t155 & 32768u) << 16u) | (t157 == 0u ? as_uint((float)t156 * 5.9604645e-08f) : (t157 == 31u ? t158 | 2139095040u : ((t157 + 112u) << 23u) | t158))) : (float)(t155 & 255u) / 255.0f;
                        var22.y = t146 ? as_float(t155) : t159;
                        if (2u < t142) {
                            const uint t160 = t143 + 2u;
                            const uint t161 = layers[t160 >> t147] >> (((t160 & t148) * t144) & 31u);
                            const uint t162 = t161 & 1023u;
                            const uint t163 = (t161 >> 10u) & 31u;
                            const uint t164 = t162 << 13u;
                            const float t165 = t145 ? as_float(((t161 & 32768u) << 16u) | (t163 == 0u ? as_uint((float)t162 * 5.9604645e-08f) : (t163 == 31u ? t164 | 2139095040u : ((t163 + 112u) << 23u) | t164))) : (float)(t161 & 255u) / 255.0f;
                            var22.z = t146 ? as_float(t161) : t165;
                            const uint t166 = t143 + 3u;
                            const uint t167 = layers[t166 >> t147] >> (((t166 & t148) * t144) & 31u);
                            const uint t168 = t167 & 1023u;
                            const uint t169 = (t167 >> 10u) & 31u;
                            const uint t170 = t168 << 13u;
                            const float t171 = t145 ? as_float(((t167 & 32768u) << 16u) | (t169 == 0u ? as_uint((float)t168 * 5.9604645e-08f) : (t169 == 31u ? t170 | 2139095040u : ((t169 + 112u) << 23u) | t170))) : (float)(t167 & 255u) / 255.0f;
                            var22.w = t146 ? as_float(t167) : t171;
                        }
                    }
                    var19 = var22;
                }
            }
        }
        var1 = var19;
    } else if ((t105 & 16u) != 0u) {
        const float t172 = t0 + 0.5f;
        const float t173 = fmin(fmax(vload4(0, values.layers_image.sampler).w == 4u ? fabs(t172) : t172, -1073741800.0f), 1073741800.0f);
        const float3 t174 = (float3)(t173 * vload4(0, values.layers_image.unit).x, t173 * vload4(0, values.layers_image.unit).y, (float)max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0));
        const float4 t175 = layers_copy_filtered(layers_copy, layers_copy_sampler, t174);
        const uint t176 = vload4(0, values.layers_image.texel).x;
        const bool t177 = 2u < t176;
        var1 = (float4)(t175.x, 1u < t176 ? t175.y : 0.0f, t177 ? t175.z : 0.0f, t177 ? t175.w : 1.0f);
    } else {
        const float t178 = fmin(fmax(vload4(0, values.layers_image.level).x + 0.0f, vload4(0, values.layers_image.level).y), vload4(0, values.layers_image.level).z);
        const bool t179 = (t178 <= 0.0f ? vload4(0, values.layers_image.sampler).x : vload4(0, values.layers_image.sampler).y) == 1u;
        const float t180 = fmin(fmax(t178, 0.0f), (float)as_int(as_uint(vload4(0, values.layers_image.size).w) - as_uint(1)));
        const bool t181 = vload4(0, values.layers_image.sampler).z == 1u;
        const float t182 = ceil(t180 - 0.5f);
        const float t183 = floor(t180);
        const int t184 = t181 ? ((as_uint(t183) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t183)) : ((as_uint(t182) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t182));
        const float t185 = t181 ? t180 - (float)t184 : 0.0f;
        const int t186 = 0.0f < t185 ? 2 : 1;
        float4 var23 = (float4)(0.0f);
        #pragma unroll 1
        for (int i = 0; i < t186; i += 1) {
            const int t187 = as_int(as_uint(t184) + as_uint(i));
            float4 var24 = (float4)(0.0f);
            const bool t188 = t187 == 0;
            const bool t189 = (t105 & 8u) != 0u;
            if (t189 && t188) {
                if (t179) {
                    const float t190 = t0 + 0.5f;
                    const float t191 = fmin(fmax(vload4(0, values.layers_image.sampler).w == 4u ? fabs(t190) : t190, -1073741800.0f), 1073741800.0f);
                    const float3 t192 = (float3)(t191 * vload4(0, values.layers_image.unit).x, t191 * vload4(0, values.layers_image.unit).y, (float)max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0));
                    const float4 t193 = layers_copy_filtered(layers_copy, layers_copy_sampler, t192);
                    const uint t194 = vload4(0, values.layers_image.texel).x;
                    const bool t195 = 2u < t194;
                    var24 = (float4)(t193.x, 1u < t194 ? t193.y : 0.0f, t195 ? t193.z : 0.0f, t195 ? t193.w : 1.0f);
                } else {
                    const float t196 = floor(t0);
                    const float t197 = t196 + (t0 - t196 >= 0.5f ? 1.0f : 0.0f);
                    const int t198 = (as_uint(t197) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t197);
                    int var25 = t198;
                    const int t199 = vload4(0, values.layers_image.size).x;
                    const uint t200 = (uint)t199;
                    const uint t201 = (uint)t198;
                    const bool t202 = t201 < t200;
                    int var26 = t198;
                    const int t203 = vload4(0, values.layers_image.size).y;
                    const uint t204 = (uint)t203;
                    const bool t205 = t201 < t204;
                    bool var27 = true;
                    if (!(t202 && t205)) {
                        const uint t206 = vload4(0, values.layers_image.sampler).w;
                        const int t207 = as_int(as_uint(t199) - as_uint(1));
                        int var29 = max(min(t198, t207), 0);
                        const bool t208 = !t202;
                        if (t208) {
                            if (t206 == 0u) {
                                const int t209 = t199 == 0 || (t198 == (-2147483647 - 1) && t199 == -1) ? 1 : t199;
                                const int t210 = as_int(as_uint(t198) - as_uint(as_int(as_uint(t198 / t209) * as_uint(t209))));
                                var29 = as_int(as_uint(t210) + as_uint(t210 != 0 && (t210 ^ t199) < 0 ? t199 : 0));
                            }
                            if (t206 == 1u) {
                                const int t211 = as_int(as_uint(t199) + as_uint(t199));
                                const int t212 = t211 == 0 || (t198 == (-2147483647 - 1) && t211 == -1) ? 1 : t211;
                                const int t213 = as_int(as_uint(t198) - as_uint(as_int(as_uint(t198 / t212) * as_uint(t212))));
                                const int t214 = as_int(as_uint(t213) + as_uint(t213 != 0 && (t213 ^ t211) < 0 ? t211 : 0));
                                var29 = min(t214, as_int(as_uint(as_int(as_uint(t211) - as_uint(1))) - as_uint(t214)));
                            }
                            if (t206 == 4u) {
                                var29 = max(min(max(t198, as_int(as_uint(-1) - as_uint(t198))), t207), 0);
                            }
                        }
                        const bool t215 = t206 == 3u;
                        var25 = var29;
                        const int t216 = as_int(as_uint(t203) - as_uint(1));
                        int var30 = max(min(t198, t216), 0);
                        const bool t217 = !t205;
                        if (t217) {
                            if (t206 == 0u) {
                                const int t218 = t203 == 0 || (t198 == (-2147483647 - 1) && t203 == -1) ? 1 : t203;
                                const int t219 = as_int(as_uint(t198) - as_uint(as_int(as_uint(t198 / t218) * as_uint(t218))));
                                var30 = as_int(as_uint(t219) + as_uint(t219 != 0 && (t219 ^ t203) < 0 ? t203 : 0));
                            }
                            if (t206 == 1u) {
                                const int t220 = as_int(as_uint(t203) + as_uint(t203));
                                const int t221 = t220 == 0 || (t198 == (-2147483647 - 1) && t220 == -1) ? 1 : t220;
                                const int t222 = as_int(as_uint(t198) - as_uint(as_int(as_uint(t198 / t221) * as_uint(t221))));
                                const int t223 = as_int(as_uint(t222) + as_uint(t222 != 0 && (t222 ^ t220) < 0 ? t220 : 0));
                                var30 = min(t223, as_int(as_uint(as_int(as_uint(t220) - as_uint(1))) - as_uint(t223)));
                            }
                            if (t206 == 4u) {
                                var30 = max(min(max(t198, as_int(as_uint(-1) - as_uint(t198))), t216), 0);
                            }
                        }
                        var26 = var30;
                        var27 = !(t208 && t215) && !(t217 && t215);
                    }
                    const int t224 = var25;
                    const int t225 = var26;
                    const int t226 = max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0);
                    float4 var28 = as_float4(vload4(0, values.layers_image.border));
                    if (var27) {
                        if (t189) {
                            const float4 t227 = layers_copy_texel(layers_copy, exact_sampler, (int3)(t224, t225, t226));
                            const uint t228 = vload4(0, values.layers_image.texel).x;
                            const bool t229 = 2u < t228;
                            var28 = (float4)(t227.x, 1u < t228 ? t227.y : 0.0f, t229 ? t227.z : 0.0f, t229 ? t227.w : 1.0f);
                        } else {
                            const uint t230 = ((uint)t226 * t204 + (uint)t225) * t200 + (uint)t224;
                            if ((t105 & 4u) != 0u) {
                                var28 = (float4)(as_float(layers[t230]), 0.0f, 0.0f, 1.0f);
                            } else {
                                const uint t231 = vload4(0, values.layers_image.texel).x;
                                const uint t232 = t230 * t231;
                                float4 var31 = (float4)(0.0f, 0.0f, 0.0f, 1.0f);
                                const uint t233 = vload4(0, values.layers_image.texel).y;
                                const bool t234 = t233 == 16u;
                                const bool t235 = t233 == 32u;
                                const uint t236 = (t235 ? 0u : (t234 ? 1u : 2u)) & 31u;
                                const uint t237 = (1u << t236) - 1u;
                                const uint t238 = layers[t232 >> t236] >> (((t232 & t237) * t233) & 31u);
                                const uint t239 = t238 & 1023u;
                                const uint t240 = (t238 >> 10u) & 31u;
                                const uint t241 = t239 << 13u;
                                const float t242 = t234 ? as_float(((t238 & 32768u) << 16u) | (t240 == 0u ? as_uint((float)t239 * 5.9604645e-08f) : (t240 == 31u ? t241 | 2139095040u : ((t240 + 112u) << 23u) | t241))) : (float)(t238 & 255u) / 255.0f;
                                var31.x = t235 ? as_float(t238) : t242;
                                if (1u < t231) {
                                    const uint t243 = t232 + 1u;
                                    const uint t244 = layers[t243 >> t236] >> (((t243 & t237) * t233) & 31u);
                                    const uint t245 = t244 & 1023u;
                                    const uint t246 = (t244 >> 10u) & 31u;
                                    const uint t247 = t245 << 13u;
                                    const float t248 = t234 ? as_float(((t244 & 32768u) << 16u) | (t246 == 0u ? as_uint((float)t245 * 5.9604645e-08f) : (t246 == 31u ? t247 | 2139095040u : ((t246 + 112u) << 23u) | t247))) : (float)(t244 & 255u) / 255.0f;
                                    var31.y = t235 ? as_float(t244) : t248;
                                    if (2u < t231) {
                                        const uint t249 = t232 + 2u;
                                        const uint t250 = layers[t249 >> t236] >> (((t249 & t237) * t233) & 31u);
                                        const uint t251 = t250 & 1023u;
                                        const uint t252 = (t250 >> 10u) & 31u;
                                        const uint t253 = t251 << 13u;
                                        const float t254 = t234 ? as_float(((t250 & 32768u) << 16u) | (t252 == 0u ? as_uint((float)t251 * 5.9604645e-08f) : (t252 == 31u ? t253 | 2139095040u : ((t252 + 112u) << 23u) | t253))) : (float)(t250 & 255u) / 255.0f;
                                        var31.z = t235 ? as_float(t250) : t254;
                                        const uint t255 = t232 + 3u;
                                        const uint t256 = layers[t255 >> t236] >> (((t255 & t237) * t233) & 31u);
                                        const uint t257 = t256 & 1023u;
                                        const uint t258 = (t256 >> 10u) & 31u;
                                        const uint t259 = t257 << 13u;
                                        const float t260 = t234 ? as_float(((t256 & 32768u) << 16u) | (t258 == 0u ? as_uint((float)t257 * 5.9604645e-08f) : (t258 == 31u ? t259 | 2139095040u : ((t258 + 112u) << 23u) | t259))) : (float)(t256 & 255u) / 255.0f;
                                        var31.w = t235 ? as_float(t256) : t260;
                                    }
                                }
                                var28 = var31;
                            }
                        }
                    }
                    var24 = var28;
                }
            } else {
                const int t261 = max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0);
                const int t262 = vload4(0, values.layers_image.size).x;
                const int t263 = t187 & 31;
                const int t264 = max(t262 >> t263, 1);
                const float t265 = t188 ? 1.0f : (float)t264 / (float)t262;
                const float t266 = fmin(fmax(t0 * t265 + (t265 * 0.5f - 0.5f), -1073741800.0f), 1073741800.0f);
                const float t267 = floor(t266);
                const float t268 = t266 - t267;
                const float t269 = t267 + (t268 >= 0.5f ? 1.0f : 0.0f);
                const int t270 = t179 ? ((as_uint(t267) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t267)) : ((as_uint(t269) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t269));
                const int t271 = vload4(0, values.layers_image.size).y;
                const int t272 = max(t271 >> t263, 1);
                const float t273 = t188 ? 1.0f : (float)t272 / (float)t271;
                const float t274 = fmin(fmax(t0 * t273 + (t273 * 0.5f - 0.5f), -1073741800.0f), 1073741800.0f);
                const float t275 = floor(t274);
                const float t276 = t274 - t275;
                const float t277 = t275 + (t276 >= 0.5f ? 1.0f : 0.0f);
                const int t278 = t179 ? ((as_uint(t275) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t275)) : ((as_uint(t277) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t277));
                float4 var32 = (float4)(0.0f);
                const int t279 = t179 ? 4 : 1;
                #pragma unroll 1
                for (int i_1 = 0; i_1 < t279; i_1 += 1) {
                    const int t280 = i_1 & 1;
                    const int t281 = as_int(as_uint(t270) + as_uint(t280));
                    const uint t282 = vload4(0, values.layers_image.sampler).w;
                    const int t283 = as_int(as_uint(t264) - as_uint(1));
                    int var33 = max(min(t281, t283), 0);
                    const uint t284 = (uint)t264;
                    const bool t285 = !((uint)t281 < t284);
                    if (t285) {
                        if (t282 == 0u) {
                            const int t286 = t264 == 0 || (t281 == (-2147483647 - 1) && t264 == -1) ? 1 : t264;
                            const int t287 = as_int(as_uint(t281) - as_uint(as_int(as_uint(t281 / t286) * as_uint(t286))));
                            var33 = as_int(as_uint(t287) + as_uint(t287 != 0 && (t287 ^ t264) < 0 ? t264 : 0));
                        }
                        if (t282 == 1u) {
                            const int t288 = as_int(as_uint(t264) + as_uint(t264));
                            const int t289 = t288 == 0 || (t281 == (-2147483647 - 1) && t288 == -1) ? 1 : t288;
                            const int t290 = as_int(as_uint(t281) - as_uint(as_int(as_uint(t281 / t289) * as_uint(t289))));
                            const int t291 = as_int(as_uint(t290) + as_uint(t290 != 0 && (t290 ^ t288) < 0 ? t288 : 0));
                            var33 = min(t291, as_int(as_uint(as_int(as_uint(t288) - as_uint(1))) - as_uint(t291)));
                        }
                        if (t282 == 4u) {
                            var33 = max(min(max(t281, as_int(as_uint(-1) - as_uint(t281))), t283), 0);
                        }
                    }
                    const bool t292 = t282 == 3u;
                    const int t293 = var33;
                    const int t294 = (i_1 >> 1) & 1;
                    const float t295 = (t179 ? (t280 == 1 ? t268 : 1.0f - t268) : 1.0f) * (t179 ? (t294 == 1 ? t276 : 1.0f - t276) : 1.0f);
                    const int t296 = as_int(as_uint(t278) + as_uint(t294));
                    const int t297 = as_int(as_uint(t272) - as_uint(1));
                    int var34 = max(min(t296, t297), 0);
                    const uint t298 = (uint)t272;
                    const bool t299 = !((uint)t296 < t298);
                    if (t299) {
                        if (t282 == 0u) {
                            const int t300 = t272 == 0 || (t296 == (-2147483647 - 1) && t272 == -1) ? 1 : t272;
                            const int t301 = as_int(as_uint(t296) - as_uint(as_int(as_uint(t296 / t300) * as_uint(t300))));
                            var34 = as_int(as_uint(t301) + as_uint(t301 != 0 && (t301 ^ t272) < 0 ? t272 : 0));
                        }
                        if (t282 == 1u) {
                            const int t302 = as_int(as_uint(t272) + as_uint(t272));
                            const int t303 = t302 == 0 || (t296 == (-2147483647 - 1) && t302 == -1) ? 1 : t302;
                            const int t304 = as_int(as_uint(t296) - as_uint(as_int(as_uint(t296 / t303) * as_uint(t303))));
                            const int t305 = as_int(as_uint(t304) + as_uint(t304 != 0 && (t304 ^ t302) < 0 ? t302 : 0));
                            var34 = min(t305, as_int(as_uint(as_int(as_uint(t302) - as_uint(1))) - as_uint(t305)));
                        }
                        if (t282 == 4u) {
                            var34 = max(min(max(t296, as_int(as_uint(-1) - as_uint(t296))), t297), 0);
                        }
                    }
                    const int t306 = var34;
                    float4 var35 = as_float4(vload4(0, values.layers_image.border));
                    if (!(t285 && t292) && !(t299 && t292)) {
                        const uint t307 = (uint)t187;
                        const uint4 t308 = vload4(0, values.layers_image.from[t307 >> 2u]);
                        const uint t309 = t307 & 3u;
                        const uint t310 = vload4(0, values.layers_image.texel).x;
                        const uint t311 = ((t309 == 3u ? t308.w : (t309 == 2u ? t308.z : (t309 == 1u ? t308.y : t308.x))) + (((uint)t261 * t298 + (uint)t306) * t284 + (uint)t293)) * t310;
                        float4 var36 = (float4)(0.0f, 0.0f, 0.0f, 1.0f);
                        const uint t312 = vload4(0, values.layers_image.texel).y;
                        const bool t313 = t312 == 16u;
                        const bool t314 = t312 == 32u;
                        const uint t315 = (t314 ? 0u : (t313 ? 1u : 2u)) & 31u;
                        const uint t316 = (1u << t315) - 1u;
                        const uint t317 = layers[t311 >> t315] >> (((t311 & t316) * t312) & 31u);
                        const uint t318 = t317 & 1023u;
                        const uint t319 = (t317 >> 10u) & 31u;
                        const uint t320 = t318 << 13u;
                        const float t321 = t313 ? as_float(((t317 & 32768u) << 16u) | (t319 == 0u ? as_uint((float)t318 * 5.9604645e-08f) : (t319 == 31u ? t320 | 2139095040u : ((t319 + 112u) << 23u) | t320))) : (float)(t317 & 255u) / 255.0f;
                        var36.x = t314 ? as_float(t317) : t321;
                        if (1u < t310) {
                            const uint t322 = t311 + 1u;
                            const uint t323 = layers[t322 >> t315] >> (((t322 & t316) * t312) & 31u);
                            const uint t324 = t323 & 1023u;
                            const uint t325 = (t323 >> 10u) & 31u;
                            const uint t326 = t324 << 13u;
                            const float t327 = t313 ? as_float(((t323 & 32768u) << 16u) | (t325 == 0u ? as_uint((float)t324 * 5.9604645e-08f) : (t325 == 31u ? t326 | 2139095040u : ((t325 + 112u) << 23u) | t326))) : (float)(t323 & 255u) / 255.0f;
                            var36.y = t314 ? as_float(t323) : t327;
                            if (2u < t310) {
                                const uint t328 = t311 + 2u;
                                const uint t329 = layers[t328 >> t315] >> (((t328 & t316) * t312) & 31u);
                                const uint t330 = t329 & 1023u;
                                const uint t331 = (t329 >> 10u) & 31u;
                                const uint t332 = t330 << 13u;
                                const float t333 = t313 ? as_float(((t329 & 32768u) << 16u) | (t331 == 0u ? as_uint((float)t330 * 5.9604645e-08f) : (t331 == 31u ? t332 | 2139095040u : ((t331 + 112u) << 23u) | t332))) : (float)(t329 & 255u) / 255.0f;
                                var36.z = t314 ? as_float(t329) : t333;
                                const uint t334 = t311 + 3u;
                                const uint t335 = layers[t334 >> t315] >> (((t334 & t316) * t312) & 31u);
                                const uint t336 = t335 & 1023u;
                                const uint t337 = (t335 >> 10u) & 31u;
                                const uint t338 = t336 << 13u;
                                const float t339 = t313 ? as_float(((t335 & 32768u) << 16u) | (t337 == 0u ? as_uint((float)t336 * 5.9604645e-08f) : (t337 == 31u ? t338 | 2139095040u : ((t337 + 112u) << 23u) | t338))) : (float)(t335 & 255u) / 255.0f;
                                var36.w = t314 ? as_float(t335) : t339;
                            }
                        }
                        var35 = var36;
                    }
                    if (t295 != 0.0f) {
                        var32 = var32 + var35 * (float4)(t295);
                    }
                }
                var24 = var32;
            }
            var23 = var23 + var24 * (float4)(i == 0 ? 1.0f - t185 : t185);
        }
        var1 = var23;
    }
    out[global_id_x] = var1 + t106;
}
