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
        const int t2 = (as_uint(t0) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t0);
        int var2 = t2;
        const int t3 = vload4(0, values.line_image.size).x;
        bool var3 = true;
        const bool t4 = !((uint)t2 < (uint)t3);
        if (t4) {
            const uint t5 = vload4(0, values.line_image.sampler).w;
            const int t6 = as_int(as_uint(t3) - as_uint(1));
            int var5 = max(min(t2, t6), 0);
            if (t4) {
                if (t5 == 0u) {
                    const int t7 = t3 == 0 || (t2 == (-2147483647 - 1) && t3 == -1) ? 1 : t3;
                    const int t8 = as_int(as_uint(t2) - as_uint(as_int(as_uint(t2 / t7) * as_uint(t7))));
                    var5 = as_int(as_uint(t8) + as_uint(t8 != 0 && (t8 ^ t3) < 0 ? t3 : 0));
                }
                if (t5 == 1u) {
                    const int t9 = as_int(as_uint(t3) + as_uint(t3));
                    const int t10 = t9 == 0 || (t2 == (-2147483647 - 1) && t9 == -1) ? 1 : t9;
                    const int t11 = as_int(as_uint(t2) - as_uint(as_int(as_uint(t2 / t10) * as_uint(t10))));
                    const int t12 = as_int(as_uint(t11) + as_uint(t11 != 0 && (t11 ^ t9) < 0 ? t9 : 0));
                    var5 = min(t12, as_int(as_uint(as_int(as_uint(t9) - as_uint(1))) - as_uint(t12)));
                }
                if (t5 == 4u) {
                    var5 = max(min(max(t2, as_int(as_uint(-1) - as_uint(t2))), t6), 0);
                }
            }
            var2 = var5;
            var3 = !(t4 && t5 == 3u);
        }
        const int t13 = var2;
        int4 var4 = as_int4(vload4(0, values.line_image.border));
        if (var3) {
            if ((t1 & 8u) != 0u) {
                const int4 t14 = line_copy_texel(line_copy, exact_sampler, t13);
                const uint t15 = vload4(0, values.line_image.texel).x;
                const bool t16 = 2u < t15;
                var4 = (int4)(t14.x, 1u < t15 ? t14.y : 0, t16 ? t14.z : 0, t16 ? t14.w : 1);
            } else {
                const uint t17 = (uint)t13;
                if ((t1 & 4u) != 0u) {
                    var4 = (int4)(as_int(line[t17]), 0, 0, 1);
                } else {
                    const uint t18 = vload4(0, values.line_image.texel).x;
                    const uint t19 = t17 * t18;
                    int4 var6 = (int4)(0, 0, 0, 1);
                    const uint t20 = vload4(0, values.line_image.texel).y;
                    const bool t21 = t20 == 16u;
                    const bool t22 = t20 == 32u;
                    const uint t23 = (t22 ? 0u : (t21 ? 1u : 2u)) & 31u;
                    const uint t24 = (1u << t23) - 1u;
                    const uint t25 = line[t19 >> t23] >> (((t19 & t24) * t20) & 31u);
                    var6.x = t22 ? as_int(t25) : (t21 ? as_int(t25 << 16u) >> 16u : as_int(t25 << 24u) >> 24u);
                    if (1u < t18) {
                        const uint t26 = t19 + 1u;
                        const uint t27 = line[t26 >> t23] >> (((t26 & t24) * t20) & 31u);
                        var6.y = t22 ? as_int(t27) : (t21 ? as_int(t27 << 16u) >> 16u : as_int(t27 << 24u) >> 24u);
                        if (2u < t18) {
                            const uint t28 = t19 + 2u;
                            const uint t29 = line[t28 >> t23] >> (((t28 & t24) * t20) & 31u);
                            var6.z = t22 ? as_int(t29) : (t21 ? as_int(t29 << 16u) >> 16u : as_int(t29 << 24u) >> 24u);
                            const uint t30 = t19 + 3u;
                            const uint t31 = line[t30 >> t23] >> (((t30 & t24) * t20) & 31u);
                            var6.w = t22 ? as_int(t31) : (t21 ? as_int(t31 << 16u) >> 16u : as_int(t31 << 24u) >> 24u);
                        }
                    }
                    var4 = var6;
                }
            }
        }
        var0 = var4;
    } else {
        const float t32 = fmin(fmax(fmin(fmax(vload4(0, values.line_image.level).x + 0.0f, vload4(0, values.line_image.level).y), vload4(0, values.line_image.level).z), 0.0f), (float)as_int(as_uint(vload4(0, values.line_image.size).w) - as_uint(1)));
        const float t33 = ceil(t32 - 0.5f);
        const int t34 = (as_uint(t33) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t33);
        int4 var7 = (int4)(0);
        const bool t35 = t34 == 0;
        const bool t36 = (t1 & 8u) != 0u;
        if (t36 && t35) {
            const int t37 = (as_uint(t0) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t0);
            int var8 = t37;
            const int t38 = vload4(0, values.line_image.size).x;
            bool var9 = true;
            const bool t39 = !((uint)t37 < (uint)t38);
            if (t39) {
                const uint t40 = vload4(0, values.line_image.sampler).w;
                const int t41 = as_int(as_uint(t38) - as_uint(1));
                int var11 = max(min(t37, t41), 0);
                if (t39) {
                    if (t40 == 0u) {
                        const int t42 = t38 == 0 || (t37 == (-2147483647 - 1) && t38 == -1) ? 1 : t38;
                        const int t43 = as_int(as_uint(t37) - as_uint(as_int(as_uint(t37 / t42) * as_uint(t42))));
                        var11 = as_int(as_uint(t43) + as_uint(t43 != 0 && (t43 ^ t38) < 0 ? t38 : 0));
                    }
                    if (t40 == 1u) {
                        const int t44 = as_int(as_uint(t38) + as_uint(t38));
                        const int t45 = t44 == 0 || (t37 == (-2147483647 - 1) && t44 == -1) ? 1 : t44;
                        const int t46 = as_int(as_uint(t37) - as_uint(as_int(as_uint(t37 / t45) * as_uint(t45))));
                        const int t47 = as_int(as_uint(t46) + as_uint(t46 != 0 && (t46 ^ t44) < 0 ? t44 : 0));
                        var11 = min(t47, as_int(as_uint(as_int(as_uint(t44) - as_uint(1))) - as_uint(t47)));
                    }
                    if (t40 == 4u) {
                        var11 = max(min(max(t37, as_int(as_uint(-1) - as_uint(t37))), t41), 0);
                    }
                }
                var8 = var11;
                var9 = !(t39 && t40 == 3u);
            }
            const int t48 = var8;
            int4 var10 = as_int4(vload4(0, values.line_image.border));
            if (var9) {
                if (t36) {
                    const int4 t49 = line_copy_texel(line_copy, exact_sampler, t48);
                    const uint t50 = vload4(0, values.line_image.texel).x;
                    const bool t51 = 2u < t50;
                    var10 = (int4)(t49.x, 1u < t50 ? t49.y : 0, t51 ? t49.z : 0, t51 ? t49.w : 1);
                } else {
                    const uint t52 = (uint)t48;
                    if ((t1 & 4u) != 0u) {
                        var10 = (int4)(as_int(line[t52]), 0, 0, 1);
                    } else {
                        const uint t53 = vload4(0, values.line_image.texel).x;
                        const uint t54 = t52 * t53;
                        int4 var12 = (int4)(0, 0, 0, 1);
                        const uint t55 = vload4(0, values.line_image.texel).y;
                        const bool t56 = t55 == 16u;
                        const bool t57 = t55 == 32u;
                        const uint t58 = (t57 ? 0u : (t56 ? 1u : 2u)) & 31u;
                        const uint t59 = (1u << t58) - 1u;
                        const uint t60 = line[t54 >> t58] >> (((t54 & t59) * t55) & 31u);
                        var12.x = t57 ? as_int(t60) : (t56 ? as_int(t60 << 16u) >> 16u : as_int(t60 << 24u) >> 24u);
                        if (1u < t53) {
                            const uint t61 = t54 + 1u;
                            const uint t62 = line[t61 >> t58] >> (((t61 & t59) * t55) & 31u);
                            var12.y = t57 ? as_int(t62) : (t56 ? as_int(t62 << 16u) >> 16u : as_int(t62 << 24u) >> 24u);
                            if (2u < t53) {
                                const uint t63 = t54 + 2u;
                                const uint t64 = line[t63 >> t58] >> (((t63 & t59) * t55) & 31u);
                                var12.z = t57 ? as_int(t64) : (t56 ? as_int(t64 << 16u) >> 16u : as_int(t64 << 24u) >> 24u);
                                const uint t65 = t54 + 3u;
                                const uint t66 = line[t65 >> t58] >> (((t65 & t59) * t55) & 31u);
                                var12.w = t57 ? as_int(t66) : (t56 ? as_int(t66 << 16u) >> 16u : as_int(t66 << 24u) >> 24u);
                            }
                        }
                        var10 = var12;
                    }
                }
            }
            var7 = var10;
        } else {
            const int t67 = vload4(0, values.line_image.size).x;
            const int t68 = max(t67 >> (t34 & 31), 1);
            const float t69 = t35 ? 1.0f : (float)t68 / (float)t67;
            const float t70 = fmin(fmax(t0 * t69 + (t69 * 0.5f - 0.5f), -1073741800.0f), 1073741800.0f);
            const float t71 = floor(t70);
            const float t72 = t71 + (t70 - t71 >= 0.5f ? 1.0f : 0.0f);
            const int t73 = (as_uint(t72) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t72);
            const uint t74 = vload4(0, values.line_image.sampler).w;
            const int t75 = as_int(as_uint(t68) - as_uint(1));
            int var13 = max(min(t73, t75), 0);
            const bool t76 = !((uint)t73 < (uint)t68);
            if (t76) {
                if (t74 == 0u) {
                    const int t77 = t68 == 0 || (t73 == (-2147483647 - 1) && t68 == -1) ? 1 : t68;
                    const int t78 = as_int(as_uint(t73) - as_uint(as_int(as_uint(t73 / t77) * as_uint(t77))));
                    var13 = as_int(as_uint(t78) + as_uint(t78 != 0 && (t78 ^ t68) < 0 ? t68 : 0));
                }
                if (t74 == 1u) {
                    const int t79 = as_int(as_uint(t68) + as_uint(t68));
                    const int t80 = t79 == 0 || (t73 == (-2147483647 - 1) && t79 == -1) ? 1 : t79;
                    const int t81 = as_int(as_uint(t73) - as_uint(as_int(as_uint(t73 / t80) * as_uint(t80))));
                    const int t82 = as_int(as_uint(t81) + as_uint(t81 != 0 && (t81 ^ t79) < 0 ? t79 : 0));
                    var13 = min(t82, as_int(as_uint(as_int(as_uint(t79) - as_uint(1))) - as_uint(t82)));
                }
                if (t74 == 4u) {
                    var13 = max(min(max(t73, as_int(as_uint(-1) - as_uint(t73))), t75), 0);
                }
            }
            const int t83 = var13;
            int4 var14 = as_int4(vload4(0, values.line_image.border));
            if (!(t76 && t74 == 3u)) {
                const uint t84 = (uint)t34;
                const uint4 t85 = vload4(0, values.line_image.from[t84 >> 2u]);
                const uint t86 = t84 & 3u;
                const uint t87 = vload4(0, values.line_image.texel).x;
                const uint t88 = ((t86 == 3u ? t85.w : (t86 == 2u ? t85.z : (t86 == 1u ? t85.y : t85.x))) + (uint)t83) * t87;
                int4 var15 = (int4)(0, 0, 0, 1);
                const uint t89 = vload4(0, values.line_image.texel).y;
                const bool t90 = t89 == 16u;
                const bool t91 = t89 == 32u;
                const uint t92 = (t91 ? 0u : (t90 ? 1u : 2u)) & 31u;
                const uint t93 = (1u << t92) - 1u;
                const uint t94 = line[t88 >> t92] >> (((t88 & t93) * t89) & 31u);
                var15.x = t91 ? as_int(t94) : (t90 ? as_int(t94 << 16u) >> 16u : as_int(t94 << 24u) >> 24u);
                if (1u < t87) {
                    const uint t95 = t88 + 1u;
                    const uint t96 = line[t95 >> t92] >> (((t95 & t93) * t89) & 31u);
                    var15.y = t91 ? as_int(t96) : (t90 ? as_int(t96 << 16u) >> 16u : as_int(t96 << 24u) >> 24u);
                    if (2u < t87) {
                        const uint t97 = t88 + 2u;
                        const uint t98 = line[t97 >> t92] >> (((t97 & t93) * t89) & 31u);
                        var15.z = t91 ? as_int(t98) : (t90 ? as_int(t98 << 16u) >> 16u : as_int(t98 << 24u) >> 24u);
                        const uint t99 = t88 + 3u;
                        const uint t100 = line[t99 >> t92] >> (((t99 & t93) * t89) & 31u);
                        var15.w = t91 ? as_int(t100) : (t90 ? as_int(t100 << 16u) >> 16u : as_int(t100 << 24u) >> 24u);
                    }
                }
                var14 = var15;
            }
            var7 = var14;
        }
        var0 = var7;
    }
    float4 var1 = (float4)(0.0f);
    const uint t101 = vload4(0, values.layers_image.texel).w;
    const float4 t102 = convert_float4(var0);
    if ((t101 & 1u) != 0u) {
        const int t103 = (as_uint(t0) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t0);
        int var16 = t103;
        const int t104 = vload4(0, values.layers_image.size).x;
        const uint t105 = (uint)t104;
        const uint t106 = (uint)t103;
        const bool t107 = t106 < t105;
        int var17 = t103;
        const int t108 = vload4(0, values.layers_image.size).y;
        const uint t109 = (uint)t108;
        const bool t110 = t106 < t109;
        bool var18 = true;
        if (!(t107 && t110)) {
            const uint t111 = vload4(0, values.layers_image.sampler).w;
            const int t112 = as_int(as_uint(t104) - as_uint(1));
            int var20 = max(min(t103, t112), 0);
            const bool t113 = !t107;
            if (t113) {
                if (t111 == 0u) {
                    const int t114 = t104 == 0 || (t103 == (-2147483647 - 1) && t104 == -1) ? 1 : t104;
                    const int t115 = as_int(as_uint(t103) - as_uint(as_int(as_uint(t103 / t114) * as_uint(t114))));
                    var20 = as_int(as_uint(t115) + as_uint(t115 != 0 && (t115 ^ t104) < 0 ? t104 : 0));
                }
                if (t111 == 1u) {
                    const int t116 = as_int(as_uint(t104) + as_uint(t104));
                    const int t117 = t116 == 0 || (t103 == (-2147483647 - 1) && t116 == -1) ? 1 : t116;
                    const int t118 = as_int(as_uint(t103) - as_uint(as_int(as_uint(t103 / t117) * as_uint(t117))));
                    const int t119 = as_int(as_uint(t118) + as_uint(t118 != 0 && (t118 ^ t116) < 0 ? t116 : 0));
                    var20 = min(t119, as_int(as_uint(as_int(as_uint(t116) - as_uint(1))) - as_uint(t119)));
                }
                if (t111 == 4u) {
                    var20 = max(min(max(t103, as_int(as_uint(-1) - as_uint(t103))), t112), 0);
                }
            }
            const bool t120 = t111 == 3u;
            var16 = var20;
            const int t121 = as_int(as_uint(t108) - as_uint(1));
            int var21 = max(min(t103, t121), 0);
            const bool t122 = !t110;
            if (t122) {
                if (t111 == 0u) {
                    const int t123 = t108 == 0 || (t103 == (-2147483647 - 1) && t108 == -1) ? 1 : t108;
                    const int t124 = as_int(as_uint(t103) - as_uint(as_int(as_uint(t103 / t123) * as_uint(t123))));
                    var21 = as_int(as_uint(t124) + as_uint(t124 != 0 && (t124 ^ t108) < 0 ? t108 : 0));
                }
                if (t111 == 1u) {
                    const int t125 = as_int(as_uint(t108) + as_uint(t108));
                    const int t126 = t125 == 0 || (t103 == (-2147483647 - 1) && t125 == -1) ? 1 : t125;
                    const int t127 = as_int(as_uint(t103) - as_uint(as_int(as_uint(t103 / t126) * as_uint(t126))));
                    const int t128 = as_int(as_uint(t127) + as_uint(t127 != 0 && (t127 ^ t125) < 0 ? t125 : 0));
                    var21 = min(t128, as_int(as_uint(as_int(as_uint(t125) - as_uint(1))) - as_uint(t128)));
                }
                if (t111 == 4u) {
                    var21 = max(min(max(t103, as_int(as_uint(-1) - as_uint(t103))), t121), 0);
                }
            }
            var17 = var21;
            var18 = !(t113 && t120) && !(t122 && t120);
        }
        const int t129 = var16;
        const int t130 = var17;
        const int t131 = max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0);
        float4 var19 = as_float4(vload4(0, values.layers_image.border));
        if (var18) {
            if ((t101 & 8u) != 0u) {
                const float4 t132 = layers_copy_texel(layers_copy, exact_sampler, (int3)(t129, t130, t131));
                const uint t133 = vload4(0, values.layers_image.texel).x;
                const bool t134 = 2u < t133;
                var19 = (float4)(t132.x, 1u < t133 ? t132.y : 0.0f, t134 ? t132.z : 0.0f, t134 ? t132.w : 1.0f);
            } else {
                const uint t135 = ((uint)t131 * t109 + (uint)t130) * t105 + (uint)t129;
                if ((t101 & 4u) != 0u) {
                    var19 = (float4)(as_float(layers[t135]), 0.0f, 0.0f, 1.0f);
                } else {
                    const uint t136 = vload4(0, values.layers_image.texel).x;
                    const uint t137 = t135 * t136;
                    float4 var22 = (float4)(0.0f, 0.0f, 0.0f, 1.0f);
                    const uint t138 = vload4(0, values.layers_image.texel).y;
                    const bool t139 = t138 == 16u;
                    const bool t140 = t138 == 32u;
                    const uint t141 = (t140 ? 0u : (t139 ? 1u : 2u)) & 31u;
                    const uint t142 = (1u << t141) - 1u;
                    const uint t143 = layers[t137 >> t141] >> (((t137 & t142) * t138) & 31u);
                    const uint t144 = t143 & 1023u;
                    const uint t145 = (t143 >> 10u) & 31u;
                    const uint t146 = t144 << 13u;
                    const float t147 = t139 ? as_float(((t143 & 32768u) << 16u) | (t145 == 0u ? as_uint((float)t144 * 5.9604645e-08f) : (t145 == 31u ? t146 | 2139095040u : ((t145 + 112u) << 23u) | t146))) : (float)(t143 & 255u) / 255.0f;
                    var22.x = t140 ? as_float(t143) : t147;
                    if (1u < t136) {
                        const uint t148 = t137 + 1u;
                        const uint t149 = layers[t148 >> t141] >> (((t148 & t142) * t138) & 31u);
                        const uint t150 = t149 & 1023u;
                        const uint t151 = (t149 >> 10u) & 31u;
                        const uint t152 = t150 << 13u;
                        const float t153 = t139 ? as_float(((t149 & 32768u) << 16u) | (t151 == 0u ? as_uint((float)t150 * 5.9604645e-08f) : (t151 == 31u ? t152 | 2139095040u : ((t151 + 112u) << 23u) | t152))) : (float)(t149 & 255u) / 255.0f;
                        var22.y = t140 ? as_float(t149) : t153;
                        if (2u < t136) {
                            const uint t154 = t137 + 2u;
                            const uint t155 = layers[t154 >> t141] >> (((t154 & t142) * t138) & 31u);
                            const uint t156 = t155 & 1023u;
                            const uint t157 = (t155 >> 10u) & 31u;
                            const uint t158 = t156 << 13u;
                            const float t159 = t139 ? as_float(((t155 & 32768u) << 16u) | (t157 == 0u ? as_uint((float)t156 * 5.9604645e-08f) : (t157 == 31u ? t158 | 2139095040u : ((t157 + 112u) << 23u) | t158))) : (float)(t155 & 255u) / 255.0f;
                            var22.z = t140 ? as_float(t155) : t159;
                            const uint t160 = t137 + 3u;
                            const uint t161 = layers[t160 >> t141] >> (((t160 & t142) * t138) & 31u);
                            const uint t162 = t161 & 1023u;
                            const uint t163 = (t161 >> 10u) & 31u;
                            const uint t164 = t162 << 13u;
                            const float t165 = t139 ? as_float(((t161 & 32768u) << 16u) | (t163 == 0u ? as_uint((float)t162 * 5.9604645e-08f) : (t163 == 31u ? t164 | 2139095040u : ((t163 + 112u) << 23u) | t164))) : (float)(t161 & 255u) / 255.0f;
                            var22.w = t140 ? as_float(t161) : t165;
                        }
                    }
                    var19 = var22;
                }
            }
        }
        var1 = var19;
    } else if ((t101 & 16u) != 0u) {
        const float t166 = t0 + 0.5f;
        const float t167 = fmin(fmax(vload4(0, values.layers_image.sampler).w == 4u ? fabs(t166) : t166, -1073741800.0f), 1073741800.0f);
        const float3 t168 = (float3)(t167 * vload4(0, values.layers_image.unit).x, t167 * vload4(0, values.layers_image.unit).y, (float)max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0));
        const float4 t169 = layers_copy_filtered(layers_copy, layers_copy_sampler, t168);
        const uint t170 = vload4(0, values.layers_image.texel).x;
        const bool t171 = 2u < t170;
        var1 = (float4)(t169.x, 1u < t170 ? t169.y : 0.0f, t171 ? t169.z : 0.0f, t171 ? t169.w : 1.0f);
    } else {
        const float t172 = fmin(fmax(vload4(0, values.layers_image.level).x + 0.0f, vload4(0, values.layers_image.level).y), vload4(0, values.layers_image.level).z);
        const bool t173 = (t172 <= 0.0f ? vload4(0, values.layers_image.sampler).x : vload4(0, values.layers_image.sampler).y) == 1u;
        const bool t174 = vload4(0, values.layers_image.sampler).z != 1u;
        const float t175 = fmin(fmax(t172, 0.0f), (float)as_int(as_uint(vload4(0, values.layers_image.size).w) - as_uint(1)));
        const float t176 = t174 ? ceil(t175 - 0.5f) : floor(t175);
        const float t177 = t174 ? 0.0f : t175 - t176;
        const int t178 = (as_uint(t176) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t176);
        const int t179 = 0.0f < t177 ? 2 : 1;
        float4 var23 = (float4)(0.0f);
        #pragma unroll 1
        for (int i = 0; i < t179; i += 1) {
            const int t180 = as_int(as_uint(t178) + as_uint(i));
            float4 var24 = (float4)(0.0f);
            const bool t181 = t180 == 0;
            const bool t182 = (t101 & 8u) != 0u;
            if (t182 && t181) {
                if (t173) {
                    const float t183 = t0 + 0.5f;
                    const float t184 = fmin(fmax(vload4(0, values.layers_image.sampler).w == 4u ? fabs(t183) : t183, -1073741800.0f), 1073741800.0f);
                    const float3 t185 = (float3)(t184 * vload4(0, values.layers_image.unit).x, t184 * vload4(0, values.layers_image.unit).y, (float)max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0));
                    const float4 t186 = layers_copy_filtered(layers_copy, layers_copy_sampler, t185);
                    const uint t187 = vload4(0, values.layers_image.texel).x;
                    const bool t188 = 2u < t187;
                    var24 = (float4)(t186.x, 1u < t187 ? t186.y : 0.0f, t188 ? t186.z : 0.0f, t188 ? t186.w : 1.0f);
                } else {
                    const int t189 = (as_uint(t0) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t0);
                    int var25 = t189;
                    const int t190 = vload4(0, values.layers_image.size).x;
                    const uint t191 = (uint)t190;
                    const uint t192 = (uint)t189;
                    const bool t193 = t192 < t191;
                    int var26 = t189;
                    const int t194 = vload4(0, values.layers_image.size).y;
                    const uint t195 = (uint)t194;
                    const bool t196 = t192 < t195;
                    bool var27 = true;
                    if (!(t193 && t196)) {
                        const uint t197 = vload4(0, values.layers_image.sampler).w;
                        const int t198 = as_int(as_uint(t190) - as_uint(1));
                        int var29 = max(min(t189, t198), 0);
                        const bool t199 = !t193;
                        if (t199) {
                            if (t197 == 0u) {
                                const int t200 = t190 == 0 || (t189 == (-2147483647 - 1) && t190 == -1) ? 1 : t190;
                                const int t201 = as_int(as_uint(t189) - as_uint(as_int(as_uint(t189 / t200) * as_uint(t200))));
                                var29 = as_int(as_uint(t201) + as_uint(t201 != 0 && (t201 ^ t190) < 0 ? t190 : 0));
                            }
                            if (t197 == 1u) {
                                const int t202 = as_int(as_uint(t190) + as_uint(t190));
                                const int t203 = t202 == 0 || (t189 == (-2147483647 - 1) && t202 == -1) ? 1 : t202;
                                const int t204 = as_int(as_uint(t189) - as_uint(as_int(as_uint(t189 / t203) * as_uint(t203))));
                                const int t205 = as_int(as_uint(t204) + as_uint(t204 != 0 && (t204 ^ t202) < 0 ? t202 : 0));
                                var29 = min(t205, as_int(as_uint(as_int(as_uint(t202) - as_uint(1))) - as_uint(t205)));
                            }
                            if (t197 == 4u) {
                                var29 = max(min(max(t189, as_int(as_uint(-1) - as_uint(t189))), t198), 0);
                            }
                        }
                        const bool t206 = t197 == 3u;
                        var25 = var29;
                        const int t207 = as_int(as_uint(t194) - as_uint(1));
                        int var30 = max(min(t189, t207), 0);
                        const bool t208 = !t196;
                        if (t208) {
                            if (t197 == 0u) {
                                const int t209 = t194 == 0 || (t189 == (-2147483647 - 1) && t194 == -1) ? 1 : t194;
                                const int t210 = as_int(as_uint(t189) - as_uint(as_int(as_uint(t189 / t209) * as_uint(t209))));
                                var30 = as_int(as_uint(t210) + as_uint(t210 != 0 && (t210 ^ t194) < 0 ? t194 : 0));
                            }
                            if (t197 == 1u) {
                                const int t211 = as_int(as_uint(t194) + as_uint(t194));
                                const int t212 = t211 == 0 || (t189 == (-2147483647 - 1) && t211 == -1) ? 1 : t211;
                                const int t213 = as_int(as_uint(t189) - as_uint(as_int(as_uint(t189 / t212) * as_uint(t212))));
                                const int t214 = as_int(as_uint(t213) + as_uint(t213 != 0 && (t213 ^ t211) < 0 ? t211 : 0));
                                var30 = min(t214, as_int(as_uint(as_int(as_uint(t211) - as_uint(1))) - as_uint(t214)));
                            }
                            if (t197 == 4u) {
                                var30 = max(min(max(t189, as_int(as_uint(-1) - as_uint(t189))), t207), 0);
                            }
                        }
                        var26 = var30;
                        var27 = !(t199 && t206) && !(t208 && t206);
                    }
                    const int t215 = var25;
                    const int t216 = var26;
                    const int t217 = max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0);
                    float4 var28 = as_float4(vload4(0, values.layers_image.border));
                    if (var27) {
                        if (t182) {
                            const float4 t218 = layers_copy_texel(layers_copy, exact_sampler, (int3)(t215, t216, t217));
                            const uint t219 = vload4(0, values.layers_image.texel).x;
                            const bool t220 = 2u < t219;
                            var28 = (float4)(t218.x, 1u < t219 ? t218.y : 0.0f, t220 ? t218.z : 0.0f, t220 ? t218.w : 1.0f);
                        } else {
                            const uint t221 = ((uint)t217 * t195 + (uint)t216) * t191 + (uint)t215;
                            if ((t101 & 4u) != 0u) {
                                var28 = (float4)(as_float(layers[t221]), 0.0f, 0.0f, 1.0f);
                            } else {
                                const uint t222 = vload4(0, values.layers_image.texel).x;
                                const uint t223 = t221 * t222;
                                float4 var31 = (float4)(0.0f, 0.0f, 0.0f, 1.0f);
                                const uint t224 = vload4(0, values.layers_image.texel).y;
                                const bool t225 = t224 == 16u;
                                const bool t226 = t224 == 32u;
                                const uint t227 = (t226 ? 0u : (t225 ? 1u : 2u)) & 31u;
                                const uint t228 = (1u << t227) - 1u;
                                const uint t229 = layers[t223 >> t227] >> (((t223 & t228) * t224) & 31u);
                                const uint t230 = t229 & 1023u;
                                const uint t231 = (t229 >> 10u) & 31u;
                                const uint t232 = t230 << 13u;
                                const float t233 = t225 ? as_float(((t229 & 32768u) << 16u) | (t231 == 0u ? as_uint((float)t230 * 5.9604645e-08f) : (t231 == 31u ? t232 | 2139095040u : ((t231 + 112u) << 23u) | t232))) : (float)(t229 & 255u) / 255.0f;
                                var31.x = t226 ? as_float(t229) : t233;
                                if (1u < t222) {
                                    const uint t234 = t223 + 1u;
                                    const uint t235 = layers[t234 >> t227] >> (((t234 & t228) * t224) & 31u);
                                    const uint t236 = t235 & 1023u;
                                    const uint t237 = (t235 >> 10u) & 31u;
                                    const uint t238 = t236 << 13u;
                                    const float t239 = t225 ? as_float(((t235 & 32768u) << 16u) | (t237 == 0u ? as_uint((float)t236 * 5.9604645e-08f) : (t237 == 31u ? t238 | 2139095040u : ((t237 + 112u) << 23u) | t238))) : (float)(t235 & 255u) / 255.0f;
                                    var31.y = t226 ? as_float(t235) : t239;
                                    if (2u < t222) {
                                        const uint t240 = t223 + 2u;
                                        const uint t241 = layers[t240 >> t227] >> (((t240 & t228) * t224) & 31u);
                                        const uint t242 = t241 & 1023u;
                                        const uint t243 = (t241 >> 10u) & 31u;
                                        const uint t244 = t242 << 13u;
                                        const float t245 = t225 ? as_float(((t241 & 32768u) << 16u) | (t243 == 0u ? as_uint((float)t242 * 5.9604645e-08f) : (t243 == 31u ? t244 | 2139095040u : ((t243 + 112u) << 23u) | t244))) : (float)(t241 & 255u) / 255.0f;
                                        var31.z = t226 ? as_float(t241) : t245;
                                        const uint t246 = t223 + 3u;
                                        const uint t247 = layers[t246 >> t227] >> (((t246 & t228) * t224) & 31u);
                                        const uint t248 = t247 & 1023u;
                                        const uint t249 = (t247 >> 10u) & 31u;
                                        const uint t250 = t248 << 13u;
                                        const float t251 = t225 ? as_float(((t247 & 32768u) << 16u) | (t249 == 0u ? as_uint((float)t248 * 5.9604645e-08f) : (t249 == 31u ? t250 | 2139095040u : ((t249 + 112u) << 23u) | t250))) : (float)(t247 & 255u) / 255.0f;
                                        var31.w = t226 ? as_float(t247) : t251;
                                    }
                                }
                                var28 = var31;
                            }
                        }
                    }
                    var24 = var28;
                }
            } else {
                const int t252 = max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0);
                const int t253 = vload4(0, values.layers_image.size).x;
                const int t254 = t180 & 31;
                const int t255 = max(t253 >> t254, 1);
                const float t256 = t181 ? 1.0f : (float)t255 / (float)t253;
                const float t257 = fmin(fmax(t0 * t256 + (t256 * 0.5f - 0.5f), -1073741800.0f), 1073741800.0f);
                const float t258 = floor(t257);
                const float t259 = t257 - t258;
                const float t260 = t258 + (t259 >= 0.5f ? 1.0f : 0.0f);
                const int t261 = t173 ? ((as_uint(t258) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t258)) : ((as_uint(t260) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t260));
                const int t262 = vload4(0, values.layers_image.size).y;
                const int t263 = max(t262 >> t254, 1);
                const float t264 = t181 ? 1.0f : (float)t263 / (float)t262;
                const float t265 = fmin(fmax(t0 * t264 + (t264 * 0.5f - 0.5f), -1073741800.0f), 1073741800.0f);
                const float t266 = floor(t265);
                const float t267 = t265 - t266;
                const float t268 = t266 + (t267 >= 0.5f ? 1.0f : 0.0f);
                const int t269 = t173 ? ((as_uint(t266) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t266)) : ((as_uint(t268) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t268));
                float4 var32 = (float4)(0.0f);
                const int t270 = t173 ? 4 : 1;
                #pragma unroll 1
                for (int i_1 = 0; i_1 < t270; i_1 += 1) {
                    const int t271 = i_1 & 1;
                    const int t272 = as_int(as_uint(t261) + as_uint(t271));
                    const uint t273 = vload4(0, values.layers_image.sampler).w;
                    const int t274 = as_int(as_uint(t255) - as_uint(1));
                    int var33 = max(min(t272, t274), 0);
                    const uint t275 = (uint)t255;
                    const bool t276 = !((uint)t272 < t275);
                    if (t276) {
                        if (t273 == 0u) {
                            const int t277 = t255 == 0 || (t272 == (-2147483647 - 1) && t255 == -1) ? 1 : t255;
                            const int t278 = as_int(as_uint(t272) - as_uint(as_int(as_uint(t272 / t277) * as_uint(t277))));
                            var33 = as_int(as_uint(t278) + as_uint(t278 != 0 && (t278 ^ t255) < 0 ? t255 : 0));
                        }
                        if (t273 == 1u) {
                            const int t279 = as_int(as_uint(t255) + as_uint(t255));
                            const int t280 = t279 == 0 || (t272 == (-2147483647 - 1) && t279 == -1) ? 1 : t279;
                            const int t281 = as_int(as_uint(t272) - as_uint(as_int(as_uint(t272 / t280) * as_uint(t280))));
                            const int t282 = as_int(as_uint(t281) + as_uint(t281 != 0 && (t281 ^ t279) < 0 ? t279 : 0));
                            var33 = min(t282, as_int(as_uint(as_int(as_uint(t279) - as_uint(1))) - as_uint(t282)));
                        }
                        if (t273 == 4u) {
                            var33 = max(min(max(t272, as_int(as_uint(-1) - as_uint(t272))), t274), 0);
                        }
                    }
                    const bool t283 = t273 == 3u;
                    const int t284 = var33;
                    const int t285 = (i_1 >> 1) & 1;
                    const float t286 = (t173 ? (t271 == 1 ? t259 : 1.0f - t259) : 1.0f) * (t173 ? (t285 == 1 ? t267 : 1.0f - t267) : 1.0f);
                    const int t287 = as_int(as_uint(t269) + as_uint(t285));
                    const int t288 = as_int(as_uint(t263) - as_uint(1));
                    int var34 = max(min(t287, t288), 0);
                    const uint t289 = (uint)t263;
                    const bool t290 = !((uint)t287 < t289);
                    if (t290) {
                        if (t273 == 0u) {
                            const int t291 = t263 == 0 || (t287 == (-2147483647 - 1) && t263 == -1) ? 1 : t263;
                            const int t292 = as_int(as_uint(t287) - as_uint(as_int(as_uint(t287 / t291) * as_uint(t291))));
                            var34 = as_int(as_uint(t292) + as_uint(t292 != 0 && (t292 ^ t263) < 0 ? t263 : 0));
                        }
                        if (t273 == 1u) {
                            const int t293 = as_int(as_uint(t263) + as_uint(t263));
                            const int t294 = t293 == 0 || (t287 == (-2147483647 - 1) && t293 == -1) ? 1 : t293;
                            const int t295 = as_int(as_uint(t287) - as_uint(as_int(as_uint(t287 / t294) * as_uint(t294))));
                            const int t296 = as_int(as_uint(t295) + as_uint(t295 != 0 && (t295 ^ t293) < 0 ? t293 : 0));
                            var34 = min(t296, as_int(as_uint(as_int(as_uint(t293) - as_uint(1))) - as_uint(t296)));
                        }
                        if (t273 == 4u) {
                            var34 = max(min(max(t287, as_int(as_uint(-1) - as_uint(t287))), t288), 0);
                        }
                    }
                    const int t297 = var34;
                    float4 var35 = as_float4(vload4(0, values.layers_image.border));
                    if (!(t276 && t283) && !(t290 && t283)) {
                        const uint t298 = (uint)t180;
                        const uint4 t299 = vload4(0, values.layers_image.from[t298 >> 2u]);
                        const uint t300 = t298 & 3u;
                        const uint t301 = vload4(0, values.layers_image.texel).x;
                        const uint t302 = ((t300 == 3u ? t299.w : (t300 == 2u ? t299.z : (t300 == 1u ? t299.y : t299.x))) + (((uint)t252 * t289 + (uint)t297) * t275 + (uint)t284)) * t301;
                        float4 var36 = (float4)(0.0f, 0.0f, 0.0f, 1.0f);
                        const uint t303 = vload4(0, values.layers_image.texel).y;
                        const bool t304 = t303 == 16u;
                        const bool t305 = t303 == 32u;
                        const uint t306 = (t305 ? 0u : (t304 ? 1u : 2u)) & 31u;
                        const uint t307 = (1u << t306) - 1u;
                        const uint t308 = layers[t302 >> t306] >> (((t302 & t307) * t303) & 31u);
                        const uint t309 = t308 & 1023u;
                        const uint t310 = (t308 >> 10u) & 31u;
                        const uint t311 = t309 << 13u;
                        const float t312 = t304 ? as_float(((t308 & 32768u) << 16u) | (t310 == 0u ? as_uint((float)t309 * 5.9604645e-08f) : (t310 == 31u ? t311 | 2139095040u : ((t310 + 112u) << 23u) | t311))) : (float)(t308 & 255u) / 255.0f;
                        var36.x = t305 ? as_float(t308) : t312;
                        if (1u < t301) {
                            const uint t313 = t302 + 1u;
                            const uint t314 = layers[t313 >> t306] >> (((t313 & t307) * t303) & 31u);
                            const uint t315 = t314 & 1023u;
                            const uint t316 = (t314 >> 10u) & 31u;
                            const uint t317 = t315 << 13u;
                            const float t318 = t304 ? as_float(((t314 & 32768u) << 16u) | (t316 == 0u ? as_uint((float)t315 * 5.9604645e-08f) : (t316 == 31u ? t317 | 2139095040u : ((t316 + 112u) << 23u) | t317))) : (float)(t314 & 255u) / 255.0f;
                            var36.y = t305 ? as_float(t314) : t318;
                            if (2u < t301) {
                                const uint t319 = t302 + 2u;
                                const uint t320 = layers[t319 >> t306] >> (((t319 & t307) * t303) & 31u);
                                const uint t321 = t320 & 1023u;
                                const uint t322 = (t320 >> 10u) & 31u;
                                const uint t323 = t321 << 13u;
                                const float t324 = t304 ? as_float(((t320 & 32768u) << 16u) | (t322 == 0u ? as_uint((float)t321 * 5.9604645e-08f) : (t322 == 31u ? t323 | 2139095040u : ((t322 + 112u) << 23u) | t323))) : (float)(t320 & 255u) / 255.0f;
                                var36.z = t305 ? as_float(t320) : t324;
                                const uint t325 = t302 + 3u;
                                const uint t326 = layers[t325 >> t306] >> (((t325 & t307) * t303) & 31u);
                                const uint t327 = t326 & 1023u;
                                const uint t328 = (t326 >> 10u) & 31u;
                                const uint t329 = t327 << 13u;
                                const float t330 = t304 ? as_float(((t326 & 32768u) << 16u) | (t328 == 0u ? as_uint((float)t327 * 5.9604645e-08f) : (t328 == 31u ? t329 | 2139095040u : ((t328 + 112u) << 23u) | t329))) : (float)(t326 & 255u) / 255.0f;
                                var36.w = t305 ? as_float(t326) : t330;
                            }
                        }
                        var35 = var36;
                    }
                    if (t286 != 0.0f) {
                        var32 = var32 + var35 * (float4)(t286);
                    }
                }
                var24 = var32;
            }
            var23 = var23 + var24 * (float4)(i == 0 ? 1.0f - t177 : t177);
        }
        var1 = var23;
    }
    out[global_id_x] = var1 + t102;
}
