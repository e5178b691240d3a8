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
        const float t2 = floor(t0 + 0.5f);
        const int t3 = (as_uint(t2) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t2);
        int var2 = t3;
        const int t4 = vload4(0, values.line_image.size).x;
        bool var3 = true;
        const bool t5 = !((uint)t3 < (uint)t4);
        if (t5) {
            const uint t6 = vload4(0, values.line_image.sampler).w;
            const int t7 = as_int(as_uint(t4) - as_uint(1));
            int var5 = max(min(t3, t7), 0);
            if (t5) {
                if (t6 == 0u) {
                    const int t8 = t4 == 0 || (t3 == (-2147483647 - 1) && t4 == -1) ? 1 : t4;
                    const int t9 = as_int(as_uint(t3) - as_uint(as_int(as_uint(t3 / t8) * as_uint(t8))));
                    var5 = as_int(as_uint(t9) + as_uint(t9 != 0 && (t9 ^ t4) < 0 ? t4 : 0));
                }
                if (t6 == 1u) {
                    const int t10 = as_int(as_uint(t4) + as_uint(t4));
                    const int t11 = t10 == 0 || (t3 == (-2147483647 - 1) && t10 == -1) ? 1 : t10;
                    const int t12 = as_int(as_uint(t3) - as_uint(as_int(as_uint(t3 / t11) * as_uint(t11))));
                    const int t13 = as_int(as_uint(t12) + as_uint(t12 != 0 && (t12 ^ t10) < 0 ? t10 : 0));
                    var5 = min(t13, as_int(as_uint(as_int(as_uint(t10) - as_uint(1))) - as_uint(t13)));
                }
                if (t6 == 4u) {
                    var5 = max(min(max(t3, as_int(as_uint(-1) - as_uint(t3))), t7), 0);
                }
            }
            var2 = var5;
            var3 = !(t5 && t6 == 3u);
        }
        const int t14 = var2;
        int4 var4 = as_int4(vload4(0, values.line_image.border));
        if (var3) {
            if ((t1 & 8u) != 0u) {
                const int4 t15 = line_copy_texel(line_copy, exact_sampler, t14);
                const uint t16 = vload4(0, values.line_image.texel).x;
                const bool t17 = 2u < t16;
                var4 = (int4)(t15.x, 1u < t16 ? t15.y : 0, t17 ? t15.z : 0, t17 ? t15.w : 1);
            } else {
                const uint t18 = (uint)t14;
                if ((t1 & 4u) != 0u) {
                    var4 = (int4)(as_int(line[t18]), 0, 0, 1);
                } else {
                    const uint t19 = vload4(0, values.line_image.texel).x;
                    const uint t20 = t18 * t19;
                    int4 var6 = (int4)(0, 0, 0, 1);
                    const uint t21 = vload4(0, values.line_image.texel).y;
                    const bool t22 = t21 == 16u;
                    const bool t23 = t21 == 32u;
                    const uint t24 = (t23 ? 0u : (t22 ? 1u : 2u)) & 31u;
                    const uint t25 = (1u << t24) - 1u;
                    const uint t26 = line[t20 >> t24] >> (((t20 & t25) * t21) & 31u);
                    var6.x = t23 ? as_int(t26) : (t22 ? as_int(t26 << 16u) >> 16u : as_int(t26 << 24u) >> 24u);
                    if (1u < t19) {
                        const uint t27 = t20 + 1u;
                        const uint t28 = line[t27 >> t24] >> (((t27 & t25) * t21) & 31u);
                        var6.y = t23 ? as_int(t28) : (t22 ? as_int(t28 << 16u) >> 16u : as_int(t28 << 24u) >> 24u);
                        if (2u < t19) {
                            const uint t29 = t20 + 2u;
                            const uint t30 = line[t29 >> t24] >> (((t29 & t25) * t21) & 31u);
                            var6.z = t23 ? as_int(t30) : (t22 ? as_int(t30 << 16u) >> 16u : as_int(t30 << 24u) >> 24u);
                            const uint t31 = t20 + 3u;
                            const uint t32 = line[t31 >> t24] >> (((t31 & t25) * t21) & 31u);
                            var6.w = t23 ? as_int(t32) : (t22 ? as_int(t32 << 16u) >> 16u : as_int(t32 << 24u) >> 24u);
                        }
                    }
                    var4 = var6;
                }
            }
        }
        var0 = var4;
    } else {
        const float t33 = fmin(fmax(fmin(fmax(vload4(0, values.line_image.level).x + 0.0f, vload4(0, values.line_image.level).y), vload4(0, values.line_image.level).z), 0.0f), (float)as_int(as_uint(vload4(0, values.line_image.size).w) - as_uint(1)));
        const float t34 = ceil(t33 - 0.5f);
        const int t35 = (as_uint(t34) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t34);
        int4 var7 = (int4)(0);
        const bool t36 = (t1 & 8u) != 0u;
        if (t36 && t35 == 0) {
            const float t37 = floor(t0 + 0.5f);
            const int t38 = (as_uint(t37) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t37);
            int var8 = t38;
            const int t39 = vload4(0, values.line_image.size).x;
            bool var9 = true;
            const bool t40 = !((uint)t38 < (uint)t39);
            if (t40) {
                const uint t41 = vload4(0, values.line_image.sampler).w;
                const int t42 = as_int(as_uint(t39) - as_uint(1));
                int var11 = max(min(t38, t42), 0);
                if (t40) {
                    if (t41 == 0u) {
                        const int t43 = t39 == 0 || (t38 == (-2147483647 - 1) && t39 == -1) ? 1 : t39;
                        const int t44 = as_int(as_uint(t38) - as_uint(as_int(as_uint(t38 / t43) * as_uint(t43))));
                        var11 = as_int(as_uint(t44) + as_uint(t44 != 0 && (t44 ^ t39) < 0 ? t39 : 0));
                    }
                    if (t41 == 1u) {
                        const int t45 = as_int(as_uint(t39) + as_uint(t39));
                        const int t46 = t45 == 0 || (t38 == (-2147483647 - 1) && t45 == -1) ? 1 : t45;
                        const int t47 = as_int(as_uint(t38) - as_uint(as_int(as_uint(t38 / t46) * as_uint(t46))));
                        const int t48 = as_int(as_uint(t47) + as_uint(t47 != 0 && (t47 ^ t45) < 0 ? t45 : 0));
                        var11 = min(t48, as_int(as_uint(as_int(as_uint(t45) - as_uint(1))) - as_uint(t48)));
                    }
                    if (t41 == 4u) {
                        var11 = max(min(max(t38, as_int(as_uint(-1) - as_uint(t38))), t42), 0);
                    }
                }
                var8 = var11;
                var9 = !(t40 && t41 == 3u);
            }
            const int t49 = var8;
            int4 var10 = as_int4(vload4(0, values.line_image.border));
            if (var9) {
                if (t36) {
                    const int4 t50 = line_copy_texel(line_copy, exact_sampler, t49);
                    const uint t51 = vload4(0, values.line_image.texel).x;
                    const bool t52 = 2u < t51;
                    var10 = (int4)(t50.x, 1u < t51 ? t50.y : 0, t52 ? t50.z : 0, t52 ? t50.w : 1);
                } else {
                    const uint t53 = (uint)t49;
                    if ((t1 & 4u) != 0u) {
                        var10 = (int4)(as_int(line[t53]), 0, 0, 1);
                    } else {
                        const uint t54 = vload4(0, values.line_image.texel).x;
                        const uint t55 = t53 * t54;
                        int4 var12 = (int4)(0, 0, 0, 1);
                        const uint t56 = vload4(0, values.line_image.texel).y;
                        const bool t57 = t56 == 16u;
                        const bool t58 = t56 == 32u;
                        const uint t59 = (t58 ? 0u : (t57 ? 1u : 2u)) & 31u;
                        const uint t60 = (1u << t59) - 1u;
                        const uint t61 = line[t55 >> t59] >> (((t55 & t60) * t56) & 31u);
                        var12.x = t58 ? as_int(t61) : (t57 ? as_int(t61 << 16u) >> 16u : as_int(t61 << 24u) >> 24u);
                        if (1u < t54) {
                            const uint t62 = t55 + 1u;
                            const uint t63 = line[t62 >> t59] >> (((t62 & t60) * t56) & 31u);
                            var12.y = t58 ? as_int(t63) : (t57 ? as_int(t63 << 16u) >> 16u : as_int(t63 << 24u) >> 24u);
                            if (2u < t54) {
                                const uint t64 = t55 + 2u;
                                const uint t65 = line[t64 >> t59] >> (((t64 & t60) * t56) & 31u);
                                var12.z = t58 ? as_int(t65) : (t57 ? as_int(t65 << 16u) >> 16u : as_int(t65 << 24u) >> 24u);
                                const uint t66 = t55 + 3u;
                                const uint t67 = line[t66 >> t59] >> (((t66 & t60) * t56) & 31u);
                                var12.w = t58 ? as_int(t67) : (t57 ? as_int(t67 << 16u) >> 16u : as_int(t67 << 24u) >> 24u);
                            }
                        }
                        var10 = var12;
                    }
                }
            }
            var7 = var10;
        } else {
            const int t68 = vload4(0, values.line_image.size).x;
            const int t69 = max(t68 >> (t35 & 31), 1);
            const float t70 = floor(fmin(fmax((t0 + 0.5f) * ((float)t69 / (float)t68), -1073741800.0f), 1073741800.0f));
            const int t71 = (as_uint(t70) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t70);
            const uint t72 = vload4(0, values.line_image.sampler).w;
            const int t73 = as_int(as_uint(t69) - as_uint(1));
            int var13 = max(min(t71, t73), 0);
            const bool t74 = !((uint)t71 < (uint)t69);
            if (t74) {
                if (t72 == 0u) {
                    const int t75 = t69 == 0 || (t71 == (-2147483647 - 1) && t69 == -1) ? 1 : t69;
                    const int t76 = as_int(as_uint(t71) - as_uint(as_int(as_uint(t71 / t75) * as_uint(t75))));
                    var13 = as_int(as_uint(t76) + as_uint(t76 != 0 && (t76 ^ t69) < 0 ? t69 : 0));
                }
                if (t72 == 1u) {
                    const int t77 = as_int(as_uint(t69) + as_uint(t69));
                    const int t78 = t77 == 0 || (t71 == (-2147483647 - 1) && t77 == -1) ? 1 : t77;
                    const int t79 = as_int(as_uint(t71) - as_uint(as_int(as_uint(t71 / t78) * as_uint(t78))));
                    const int t80 = as_int(as_uint(t79) + as_uint(t79 != 0 && (t79 ^ t77) < 0 ? t77 : 0));
                    var13 = min(t80, as_int(as_uint(as_int(as_uint(t77) - as_uint(1))) - as_uint(t80)));
                }
                if (t72 == 4u) {
                    var13 = max(min(max(t71, as_int(as_uint(-1) - as_uint(t71))), t73), 0);
                }
            }
            const int t81 = var13;
            int4 var14 = as_int4(vload4(0, values.line_image.border));
            if (!(t74 && t72 == 3u)) {
                const uint t82 = (uint)t35;
                const uint4 t83 = vload4(0, values.line_image.from[t82 >> 2u]);
                const uint t84 = t82 & 3u;
                const uint t85 = vload4(0, values.line_image.texel).x;
                const uint t86 = ((t84 == 3u ? t83.w : (t84 == 2u ? t83.z : (t84 == 1u ? t83.y : t83.x))) + (uint)t81) * t85;
                int4 var15 = (int4)(0, 0, 0, 1);
                const uint t87 = vload4(0, values.line_image.texel).y;
                const bool t88 = t87 == 16u;
                const bool t89 = t87 == 32u;
                const uint t90 = (t89 ? 0u : (t88 ? 1u : 2u)) & 31u;
                const uint t91 = (1u << t90) - 1u;
                const uint t92 = line[t86 >> t90] >> (((t86 & t91) * t87) & 31u);
                var15.x = t89 ? as_int(t92) : (t88 ? as_int(t92 << 16u) >> 16u : as_int(t92 << 24u) >> 24u);
                if (1u < t85) {
                    const uint t93 = t86 + 1u;
                    const uint t94 = line[t93 >> t90] >> (((t93 & t91) * t87) & 31u);
                    var15.y = t89 ? as_int(t94) : (t88 ? as_int(t94 << 16u) >> 16u : as_int(t94 << 24u) >> 24u);
                    if (2u < t85) {
                        const uint t95 = t86 + 2u;
                        const uint t96 = line[t95 >> t90] >> (((t95 & t91) * t87) & 31u);
                        var15.z = t89 ? as_int(t96) : (t88 ? as_int(t96 << 16u) >> 16u : as_int(t96 << 24u) >> 24u);
                        const uint t97 = t86 + 3u;
                        const uint t98 = line[t97 >> t90] >> (((t97 & t91) * t87) & 31u);
                        var15.w = t89 ? as_int(t98) : (t88 ? as_int(t98 << 16u) >> 16u : as_int(t98 << 24u) >> 24u);
                    }
                }
                var14 = var15;
            }
            var7 = var14;
        }
        var0 = var7;
    }
    float4 var1 = (float4)(0.0f);
    const uint t99 = vload4(0, values.layers_image.texel).w;
    const float4 t100 = convert_float4(var0);
    if ((t99 & 1u) != 0u) {
        const float t101 = floor(t0 + 0.5f);
        const int t102 = (as_uint(t101) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t101);
        int var16 = t102;
        const int t103 = vload4(0, values.layers_image.size).x;
        const uint t104 = (uint)t103;
        const uint t105 = (uint)t102;
        const bool t106 = t105 < t104;
        int var17 = t102;
        const int t107 = vload4(0, values.layers_image.size).y;
        const uint t108 = (uint)t107;
        const bool t109 = t105 < t108;
        bool var18 = true;
        if (!(t106 && t109)) {
            const uint t110 = vload4(0, values.layers_image.sampler).w;
            const int t111 = as_int(as_uint(t103) - as_uint(1));
            int var20 = max(min(t102, t111), 0);
            const bool t112 = !t106;
            if (t112) {
                if (t110 == 0u) {
                    const int t113 = t103 == 0 || (t102 == (-2147483647 - 1) && t103 == -1) ? 1 : t103;
                    const int t114 = as_int(as_uint(t102) - as_uint(as_int(as_uint(t102 / t113) * as_uint(t113))));
                    var20 = as_int(as_uint(t114) + as_uint(t114 != 0 && (t114 ^ t103) < 0 ? t103 : 0));
                }
                if (t110 == 1u) {
                    const int t115 = as_int(as_uint(t103) + as_uint(t103));
                    const int t116 = t115 == 0 || (t102 == (-2147483647 - 1) && t115 == -1) ? 1 : t115;
                    const int t117 = as_int(as_uint(t102) - as_uint(as_int(as_uint(t102 / t116) * as_uint(t116))));
                    const int t118 = as_int(as_uint(t117) + as_uint(t117 != 0 && (t117 ^ t115) < 0 ? t115 : 0));
                    var20 = min(t118, as_int(as_uint(as_int(as_uint(t115) - as_uint(1))) - as_uint(t118)));
                }
                if (t110 == 4u) {
                    var20 = max(min(max(t102, as_int(as_uint(-1) - as_uint(t102))), t111), 0);
                }
            }
            const bool t119 = t110 == 3u;
            var16 = var20;
            const int t120 = as_int(as_uint(t107) - as_uint(1));
            int var21 = max(min(t102, t120), 0);
            const bool t121 = !t109;
            if (t121) {
                if (t110 == 0u) {
                    const int t122 = t107 == 0 || (t102 == (-2147483647 - 1) && t107 == -1) ? 1 : t107;
                    const int t123 = as_int(as_uint(t102) - as_uint(as_int(as_uint(t102 / t122) * as_uint(t122))));
                    var21 = as_int(as_uint(t123) + as_uint(t123 != 0 && (t123 ^ t107) < 0 ? t107 : 0));
                }
                if (t110 == 1u) {
                    const int t124 = as_int(as_uint(t107) + as_uint(t107));
                    const int t125 = t124 == 0 || (t102 == (-2147483647 - 1) && t124 == -1) ? 1 : t124;
                    const int t126 = as_int(as_uint(t102) - as_uint(as_int(as_uint(t102 / t125) * as_uint(t125))));
                    const int t127 = as_int(as_uint(t126) + as_uint(t126 != 0 && (t126 ^ t124) < 0 ? t124 : 0));
                    var21 = min(t127, as_int(as_uint(as_int(as_uint(t124) - as_uint(1))) - as_uint(t127)));
                }
                if (t110 == 4u) {
                    var21 = max(min(max(t102, as_int(as_uint(-1) - as_uint(t102))), t120), 0);
                }
            }
            var17 = var21;
            var18 = !(t112 && t119) && !(t121 && t119);
        }
        const int t128 = var16;
        const int t129 = var17;
        const int t130 = max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0);
        float4 var19 = as_float4(vload4(0, values.layers_image.border));
        if (var18) {
            if ((t99 & 8u) != 0u) {
                const float4 t131 = layers_copy_texel(layers_copy, exact_sampler, (int3)(t128, t129, t130));
                const uint t132 = vload4(0, values.layers_image.texel).x;
                const bool t133 = 2u < t132;
                var19 = (float4)(t131.x, 1u < t132 ? t131.y : 0.0f, t133 ? t131.z : 0.0f, t133 ? t131.w : 1.0f);
            } else {
                const uint t134 = ((uint)t130 * t108 + (uint)t129) * t104 + (uint)t128;
                if ((t99 & 4u) != 0u) {
                    var19 = (float4)(as_float(layers[t134]), 0.0f, 0.0f, 1.0f);
                } else {
                    const uint t135 = vload4(0, values.layers_image.texel).x;
                    const uint t136 = t134 * t135;
                    float4 var22 = (float4)(0.0f, 0.0f, 0.0f, 1.0f);
                    const uint t137 = vload4(0, values.layers_image.texel).y;
                    const bool t138 = t137 == 16u;
                    const bool t139 = t137 == 32u;
                    const uint t140 = (t139 ? 0u : (t138 ? 1u : 2u)) & 31u;
                    const uint t141 = (1u << t140) - 1u;
                    const uint t142 = layers[t136 >> t140] >> (((t136 & t141) * t137) & 31u);
                    const uint t143 = t142 & 1023u;
                    const uint t144 = (t142 >> 10u) & 31u;
                    const uint t145 = t143 << 13u;
                    const float t146 = t138 ? as_float(((t142 & 32768u) << 16u) | (t144 == 0u ? as_uint((float)t143 * 5.9604645e-08f) : (t144 == 31u ? t145 | 2139095040u : ((t144 + 112u) << 23u) | t145))) : (float)(t142 & 255u) / 255.0f;
                    var22.x = t139 ? as_float(t142) : t146;
                    if (1u < t135) {
                        const uint t147 = t136 + 1u;
                        const uint t148 = layers[t147 >> t140] >> (((t147 & t141) * t137) & 31u);
                        const uint t149 = t148 & 1023u;
                        const uint t150 = (t148 >> 10u) & 31u;
                        const uint t151 = t149 << 13u;
                        const float t152 = t138 ? as_float(((t148 & 32768u) << 16u) | (t150 == 0u ? as_uint((float)t149 * 5.9604645e-08f) : (t150 == 31u ? t151 | 2139095040u : ((t150 + 112u) << 23u) | t151))) : (float)(t148 & 255u) / 255.0f;
                        var22.y = t139 ? as_float(t148) : t152;
                        if (2u < t135) {
                            const uint t153 = t136 + 2u;
                            const uint t154 = layers[t153 >> t140] >> (((t153 & t141) * t137) & 31u);
                            const uint t155 = t154 & 1023u;
                            const uint t156 = (t154 >> 10u) & 31u;
                            const uint t157 = t155 << 13u;
                            const float t158 = t138 ? as_float(((t154 & 32768u) << 16u) | (t156 == 0u ? as_uint((float)t155 * 5.9604645e-08f) : (t156 == 31u ? t157 | 2139095040u : ((t156 + 112u) << 23u) | t157))) : (float)(t154 & 255u) / 255.0f;
                            var22.z = t139 ? as_float(t154) : t158;
                            const uint t159 = t136 + 3u;
                            const uint t160 = layers[t159 >> t140] >> (((t159 & t141) * t137) & 31u);
                            const uint t161 = t160 & 1023u;
                            const uint t162 = (t160 >> 10u) & 31u;
                            const uint t163 = t161 << 13u;
                            const float t164 = t138 ? as_float(((t160 & 32768u) << 16u) | (t162 == 0u ? as_uint((float)t161 * 5.9604645e-08f) : (t162 == 31u ? t163 | 2139095040u : ((t162 + 112u) << 23u) | t163))) : (float)(t160 & 255u) / 255.0f;
                            var22.w = t139 ? as_float(t160) : t164;
                        }
                    }
                    var19 = var22;
                }
            }
        }
        var1 = var19;
    } else if ((t99 & 16u) != 0u) {
        const float t165 = t0 + 0.5f;
        const float t166 = fmin(fmax(vload4(0, values.layers_image.sampler).w == 4u ? fabs(t165) : t165, -1073741800.0f), 1073741800.0f);
        const float3 t167 = (float3)(t166 * vload4(0, values.layers_image.unit).x, t166 * vload4(0, values.layers_image.unit).y, (float)max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0));
        const float4 t168 = layers_copy_filtered(layers_copy, layers_copy_sampler, t167);
        const uint t169 = vload4(0, values.layers_image.texel).x;
        const bool t170 = 2u < t169;
        var1 = (float4)(t168.x, 1u < t169 ? t168.y : 0.0f, t170 ? t168.z : 0.0f, t170 ? t168.w : 1.0f);
    } else {
        const float t171 = fmin(fmax(vload4(0, values.layers_image.level).x + 0.0f, vload4(0, values.layers_image.level).y), vload4(0, values.layers_image.level).z);
        const bool t172 = (t171 <= 0.0f ? vload4(0, values.layers_image.sampler).x : vload4(0, values.layers_image.sampler).y) == 1u;
        const float t173 = fmin(fmax(t171, 0.0f), (float)as_int(as_uint(vload4(0, values.layers_image.size).w) - as_uint(1)));
        const bool t174 = vload4(0, values.layers_image.sampler).z == 1u;
        const float t175 = ceil(t173 - 0.5f);
        const float t176 = floor(t173);
        const int t177 = t174 ? ((as_uint(t176) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t176)) : ((as_uint(t175) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t175));
        const float t178 = t174 ? t173 - (float)t177 : 0.0f;
        const int t179 = 0.0f < t178 ? 2 : 1;
        float4 var23 = (float4)(0.0f);
        #pragma unroll 1
        for (int i = 0; i < t179; i += 1) {
            const int t180 = as_int(as_uint(t177) + as_uint(i));
            float4 var24 = (float4)(0.0f);
            const bool t181 = (t99 & 8u) != 0u;
            if (t181 && t180 == 0) {
                if (t172) {
                    const float t182 = t0 + 0.5f;
                    const float t183 = fmin(fmax(vload4(0, values.layers_image.sampler).w == 4u ? fabs(t182) : t182, -1073741800.0f), 1073741800.0f);
                    const float3 t184 = (float3)(t183 * vload4(0, values.layers_image.unit).x, t183 * vload4(0, values.layers_image.unit).y, (float)max(min(as_int(as_uint(vload4(0, values.layers_image.size).z) - as_uint(1)), 1), 0));
                    const float4 t185 = layers_copy_filtered(layers_copy, layers_copy_sampler, t184);
                    const uint t186 = vload4(0, values.layers_image.texel).x;
                    const bool t187 = 2u < t186;
                    var24 = (float4)(t185.x, 1u < t186 ? t185.y : 0.0f, t187 ? t185.z : 0.0f, t187 ? t185.w : 1.0f);
                } else {
                    const float t188 = floor(t0 + 0.5f);
                    const int t189 = (as_uint(t188) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t188);
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
                        if (t181) {
                            const float4 t218 = layers_copy_texel(layers_copy, exact_sampler, (int3)(t215, t216, t217));
                            const uint t219 = vload4(0, values.layers_image.texel).x;
                            const bool t220 = 2u < t219;
                            var28 = (float4)(t218.x, 1u < t219 ? t218.y : 0.0f, t220 ? t218.z : 0.0f, t220 ? t218.w : 1.0f);
                        } else {
                            const uint t221 = ((uint)t217 * t195 + (uint)t216) * t191 + (uint)t215;
                            if ((t99 & 4u) != 0u) {
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
                const float t256 = t0 + 0.5f;
                const float t257 = fmin(fmax(t256 * ((float)t255 / (float)t253), -1073741800.0f), 1073741800.0f);
                const float t258 = t172 ? t257 - 0.5f : t257;
                const float t259 = floor(t258);
                const int t260 = (as_uint(t259) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t259);
                const float t261 = t258 - t259;
                const int t262 = vload4(0, values.layers_image.size).y;
                const int t263 = max(t262 >> t254, 1);
                const float t264 = fmin(fmax(t256 * ((float)t263 / (float)t262), -1073741800.0f), 1073741800.0f);
                const float t265 = t172 ? t264 - 0.5f : t264;
                const float t266 = floor(t265);
                const int t267 = (as_uint(t266) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t266);
                const float t268 = t265 - t266;
                float4 var32 = (float4)(0.0f);
                const int t269 = t172 ? 4 : 1;
                #pragma unroll 1
                for (int i_1 = 0; i_1 < t269; i_1 += 1) {
                    const int t270 = i_1 & 1;
                    const int t271 = as_int(as_uint(t260) + as_uint(t270));
                    const uint t272 = vload4(0, values.layers_image.sampler).w;
                    const int t273 = as_int(as_uint(t255) - as_uint(1));
                    int var33 = max(min(t271, t273), 0);
                    const uint t274 = (uint)t255;
                    const bool t275 = !((uint)t271 < t274);
                    if (t275) {
                        if (t272 == 0u) {
                            const int t276 = t255 == 0 || (t271 == (-2147483647 - 1) && t255 == -1) ? 1 : t255;
                            const int t277 = as_int(as_uint(t271) - as_uint(as_int(as_uint(t271 / t276) * as_uint(t276))));
                            var33 = as_int(as_uint(t277) + as_uint(t277 != 0 && (t277 ^ t255) < 0 ? t255 : 0));
                        }
                        if (t272 == 1u) {
                            const int t278 = as_int(as_uint(t255) + as_uint(t255));
                            const int t279 = t278 == 0 || (t271 == (-2147483647 - 1) && t278 == -1) ? 1 : t278;
                            const int t280 = as_int(as_uint(t271) - as_uint(as_int(as_uint(t271 / t279) * as_uint(t279))));
                            const int t281 = as_int(as_uint(t280) + as_uint(t280 != 0 && (t280 ^ t278) < 0 ? t278 : 0));
                            var33 = min(t281, as_int(as_uint(as_int(as_uint(t278) - as_uint(1))) - as_uint(t281)));
                        }
                        if (t272 == 4u) {
                            var33 = max(min(max(t271, as_int(as_uint(-1) - as_uint(t271))), t273), 0);
                        }
                    }
                    const bool t282 = t272 == 3u;
                    const int t283 = var33;
                    const int t284 = (i_1 >> 1) & 1;
                    const float t285 = (t172 ? (t270 == 1 ? t261 : 1.0f - t261) : 1.0f) * (t172 ? (t284 == 1 ? t268 : 1.0f - t268) : 1.0f);
                    const int t286 = as_int(as_uint(t267) + as_uint(t284));
                    const int t287 = as_int(as_uint(t263) - as_uint(1));
                    int var34 = max(min(t286, t287), 0);
                    const uint t288 = (uint)t263;
                    const bool t289 = !((uint)t286 < t288);
                    if (t289) {
                        if (t272 == 0u) {
                            const int t290 = t263 == 0 || (t286 == (-2147483647 - 1) && t263 == -1) ? 1 : t263;
                            const int t291 = as_int(as_uint(t286) - as_uint(as_int(as_uint(t286 / t290) * as_uint(t290))));
                            var34 = as_int(as_uint(t291) + as_uint(t291 != 0 && (t291 ^ t263) < 0 ? t263 : 0));
                        }
                        if (t272 == 1u) {
                            const int t292 = as_int(as_uint(t263) + as_uint(t263));
                            const int t293 = t292 == 0 || (t286 == (-2147483647 - 1) && t292 == -1) ? 1 : t292;
                            const int t294 = as_int(as_uint(t286) - as_uint(as_int(as_uint(t286 / t293) * as_uint(t293))));
                            const int t295 = as_int(as_uint(t294) + as_uint(t294 != 0 && (t294 ^ t292) < 0 ? t292 : 0));
                            var34 = min(t295, as_int(as_uint(as_int(as_uint(t292) - as_uint(1))) - as_uint(t295)));
                        }
                        if (t272 == 4u) {
                            var34 = max(min(max(t286, as_int(as_uint(-1) - as_uint(t286))), t287), 0);
                        }
                    }
                    const int t296 = var34;
                    float4 var35 = as_float4(vload4(0, values.layers_image.border));
                    if (!(t275 && t282) && !(t289 && t282)) {
                        const uint t297 = (uint)t180;
                        const uint4 t298 = vload4(0, values.layers_image.from[t297 >> 2u]);
                        const uint t299 = t297 & 3u;
                        const uint t300 = vload4(0, values.layers_image.texel).x;
                        const uint t301 = ((t299 == 3u ? t298.w : (t299 == 2u ? t298.z : (t299 == 1u ? t298.y : t298.x))) + (((uint)t252 * t288 + (uint)t296) * t274 + (uint)t283)) * t300;
                        float4 var36 = (float4)(0.0f, 0.0f, 0.0f, 1.0f);
                        const uint t302 = vload4(0, values.layers_image.texel).y;
                        const bool t303 = t302 == 16u;
                        const bool t304 = t302 == 32u;
                        const uint t305 = (t304 ? 0u : (t303 ? 1u : 2u)) & 31u;
                        const uint t306 = (1u << t305) - 1u;
                        const uint t307 = layers[t301 >> t305] >> (((t301 & t306) * t302) & 31u);
                        const uint t308 = t307 & 1023u;
                        const uint t309 = (t307 >> 10u) & 31u;
                        const uint t310 = t308 << 13u;
                        const float t311 = t303 ? as_float(((t307 & 32768u) << 16u) | (t309 == 0u ? as_uint((float)t308 * 5.9604645e-08f) : (t309 == 31u ? t310 | 2139095040u : ((t309 + 112u) << 23u) | t310))) : (float)(t307 & 255u) / 255.0f;
                        var36.x = t304 ? as_float(t307) : t311;
                        if (1u < t300) {
                            const uint t312 = t301 + 1u;
                            const uint t313 = layers[t312 >> t305] >> (((t312 & t306) * t302) & 31u);
                            const uint t314 = t313 & 1023u;
                            const uint t315 = (t313 >> 10u) & 31u;
                            const uint t316 = t314 << 13u;
                            const float t317 = t303 ? as_float(((t313 & 32768u) << 16u) | (t315 == 0u ? as_uint((float)t314 * 5.9604645e-08f) : (t315 == 31u ? t316 | 2139095040u : ((t315 + 112u) << 23u) | t316))) : (float)(t313 & 255u) / 255.0f;
                            var36.y = t304 ? as_float(t313) : t317;
                            if (2u < t300) {
                                const uint t318 = t301 + 2u;
                                const uint t319 = layers[t318 >> t305] >> (((t318 & t306) * t302) & 31u);
                                const uint t320 = t319 & 1023u;
                                const uint t321 = (t319 >> 10u) & 31u;
                                const uint t322 = t320 << 13u;
                                const float t323 = t303 ? as_float(((t319 & 32768u) << 16u) | (t321 == 0u ? as_uint((float)t320 * 5.9604645e-08f) : (t321 == 31u ? t322 | 2139095040u : ((t321 + 112u) << 23u) | t322))) : (float)(t319 & 255u) / 255.0f;
                                var36.z = t304 ? as_float(t319) : t323;
                                const uint t324 = t301 + 3u;
                                const uint t325 = layers[t324 >> t305] >> (((t324 & t306) * t302) & 31u);
                                const uint t326 = t325 & 1023u;
                                const uint t327 = (t325 >> 10u) & 31u;
                                const uint t328 = t326 << 13u;
                                const float t329 = t303 ? as_float(((t325 & 32768u) << 16u) | (t327 == 0u ? as_uint((float)t326 * 5.9604645e-08f) : (t327 == 31u ? t328 | 2139095040u : ((t327 + 112u) << 23u) | t328))) : (float)(t325 & 255u) / 255.0f;
                                var36.w = t304 ? as_float(t325) : t329;
                            }
                        }
                        var35 = var36;
                    }
                    if (t285 != 0.0f) {
                        var32 = var32 + var35 * (float4)(t285);
                    }
                }
                var24 = var32;
            }
            var23 = var23 + var24 * (float4)(i == 0 ? 1.0f - t178 : t178);
        }
        var1 = var23;
    }
    out[global_id_x] = var1 + t100;
}
