#pragma OPENCL EXTENSION cl_khr_fp16 : enable
float vd_exp(float x) {
#pragma OPENCL FP_CONTRACT OFF
    const float t0 = fmax(fmin(x, 90.0f), -110.0f);
    const float t1 = rint(t0 * 1.442695f);
    const float t2 = t0 - t1 * 0.69314575f;
    const float t3 = t1 * 1.4286068e-06f;
    const float t4 = t2 - t3;
    const float t5 = t2 - t4 - t3 + 0.0f;
    const float t6 = t4 * t4 * (((((t4 * 0.00019919922f + 0.0013947212f) * t4 + 0.008333261f) * t4 + 0.041666254f) * t4 + 0.16666667f) * t4 + 0.5f);
    const float t7 = t1 + 0.0f;
    const float t8 = rint(t7 * 0.5f);
    const float t9 = (t4 + (t6 + (t5 + t5 * (t4 + t6))) + 1.0f) * as_float((as_uint(convert_int_sat(t8)) + 127u) << 23u) * as_float((as_uint(convert_int_sat(t7 - t8)) + 127u) << 23u);
    return (as_uint(x) & 2147483647u) > 2139095040u ? x : t9;
}
float vd_exp2(float x) {
#pragma OPENCL FP_CONTRACT OFF
    const float t0 = fmax(fmin(x, 130.0f), -160.0f);
    const float t1 = rint(t0);
    const float t2 = t0 - t1;
    const float t3 = t2 * t2 * (((((t2 * 1.5313197e-05f + 0.00015468214f) * t2 + 0.0013333444f) * t2 + 0.009618034f) * t2 + 0.05550411f) * t2 + 0.2402265f);
    const float t4 = rint(t1 * 0.5f);
    const float t5 = (t2 * 0.6931472f + (t2 * -1.9046542e-09f + t3) + 1.0f) * as_float((as_uint(convert_int_sat(t4)) + 127u) << 23u) * as_float((as_uint(convert_int_sat(t1 - t4)) + 127u) << 23u);
    return (as_uint(x) & 2147483647u) > 2139095040u ? x : t5;
}
float vd_log(float x) {
#pragma OPENCL FP_CONTRACT OFF
    const uint t0 = as_uint(x);
    const uint t1 = t0 < 8388608u ? clz(t0 | 1u) - 8u : 0u;
    const uint t2 = (t0 << t1) + 4913933u;
    const float t3 = (float)as_int((t2 >> 23u) - 127u - t1);
    const float t4 = as_float((t2 & 8388607u) + 1060439283u) - 1.0f;
    const float t5 = (((((t4 * 0.06747731f + -0.116775155f) * t4 + 0.11888696f) * t4 + -0.124053404f) * t4 + 0.14219452f) * t4 + -0.16668005f) * t4;
    const uint t6 = as_uint(x);
    const float t7 = t6 >= 2139095040u ? x : t3 * 0.69314575f + (t4 - (t4 * t4 * 0.5f - (t4 * (t4 * t4) * (((t5 + 0.20002124f) * t4 + -0.2500001f) * t4 + 0.33333313f) + (t3 * 1.4286068e-06f + 0.0f))));
    return (t6 & 2147483647u) == 0u ? as_float(0xff800000u) : (t6 > 2147483648u ? as_float(0x7fc00000u) : t7);
}
float vd_log2(float x) {
#pragma OPENCL FP_CONTRACT OFF
    const uint t0 = as_uint(x);
    const uint t1 = t0 < 8388608u ? clz(t0 | 1u) - 8u : 0u;
    const uint t2 = (t0 << t1) + 4913933u;
    const float t3 = as_float((t2 & 8388607u) + 1060439283u) - 1.0f;
    const float t4 = t3 * t3 * 0.5f;
    const float t5 = t3 - t4;
    const float t6 = as_float(as_uint(t5) & 4294963200u);
    const float t7 = (((((t3 * 0.06747731f + -0.116775155f) * t3 + 0.11888696f) * t3 + -0.124053404f) * t3 + 0.14219452f) * t3 + -0.16668005f) * t3;
    const float t8 = t3 - t6 - t4 + t3 * (t3 * t3) * (((t7 + 0.20002124f) * t3 + -0.2500001f) * t3 + 0.33333313f);
    const uint t9 = as_uint(x);
    const float t10 = t9 > 2147483648u ? as_float(0x7fc00000u) : (t9 >= 2139095040u ? x : (float)as_int((t2 >> 23u) - 127u - t1) + (t6 * 1.4428711f + ((t8 + t6) * -0.00017605285f + t8 * 1.4428711f)));
    return (t9 & 2147483647u) == 0u ? as_float(0xff800000u) : t10;
}
float vd_sin(float x) {
#pragma OPENCL FP_CONTRACT OFF
    float var0 = x;
    uint var1 = 0u;
    const uint t0 = as_uint(x) & 2147483647u;
    if (t0 > 1061752794u) {
        if (t0 < 1128792064u) {
            const float t1 = rint(x * 0.63661975f);
            const float t2 = x - t1 * 1.5707855f;
            const float t3 = t1 * 1.0804273e-05f;
            const float t4 = t2 - t3;
            var0 = t4 - (t1 * 6.0770944e-11f + (t1 * 6.123234e-17f - (t2 - t4 - t3)));
            var1 = as_uint(convert_int_sat(t1));
        } else {
            const uint t5 = as_uint(x) & 2147483647u;
            const uint t6 = (t5 << 8u) | 2147483648u;
            const uint t7 = (t5 >> 23u) - 128u;
            const uint t8 = t7 >> 5u;
            const uint t9 = t7 & 31u;
            const uint t10 = t8 == 0u ? 2734261102u : (t8 == 1u ? 1313084713u : (t8 == 2u ? 4230436817u : 4113882560u));
            const uint t11 = t8 == 0u ? 1313084713u : (t8 == 1u ? 4230436817u : (t8 == 2u ? 4113882560u : 3680671129u));
            const uint t12 = 31u - t9;
            const uint t13 = (t10 << t9) | (t11 >> 1u >> t12);
            const uint t14 = (t11 << t9) | ((t8 == 0u ? 4230436817u : (t8 == 1u ? 4113882560u : (t8 == 2u ? 3680671129u : 1011060801u))) >> 1u >> t12);
            const uint t15 = t6 & 65535u;
            const uint t16 = t6 >> 16u;
            const uint t17 = t14 & 65535u;
            const uint t18 = t14 >> 16u;
            const uint t19 = t16 * t17 + ((t15 * t17) >> 16u);
            const uint t20 = t16 * t18 + (t19 >> 16u) + ((t15 * t18 + (t19 & 65535u)) >> 16u);
            const uint t21 = t6 & 65535u;
            const uint t22 = t6 >> 16u;
            const uint t23 = t13 & 65535u;
            const uint t24 = t13 >> 16u;
            const uint t25 = t22 * t23 + ((t21 * t23) >> 16u);
            const uint t26 = t6 * t13 + t20;
            const uint t27 = t6 * (((t8 == 0u ? 0u : (t8 == 1u ? 2734261102u : (t8 == 2u ? 1313084713u : 4230436817u))) << t9) | (t10 >> 1u >> t12)) + (t22 * t24 + (t25 >> 16u) + ((t21 * t24 + (t25 & 65535u)) >> 16u));
            const uint t28 = t27 + (t26 < t20 ? 1u : 0u);
            const uint t29 = (t28 << 2u) | (t26 >> 30u);
            const uint t30 = t26 << 2u;
            const bool t31 = t29 >= 2147483648u;
            const uint t32 = t31 ? ~t29 + (t30 == 0u ? 1u : 0u) : t29;
            const uint t33 = t31 ? 0u - t30 : t30;
            const uint t34 = clz(t32 | 1u);
            const uint t35 = (t32 << t34) | (t33 >> 1u >> (31u - t34));
            const float t36 = (float)as_int(t35 >> 8u) * 5.9604645e-08f;
            const float t37 = as_float(as_uint(t36) & 4294963200u);
            const float t38 = t36 - t37;
            const float t39 = t36 * 1.5707964f;
            const float t40 = t37 * 1.5703125f - t39 + t37 * 0.0004838705f + t38 * 1.5703125f + t38 * 0.0004838705f + (t36 * -4.371139e-08f + (float)as_int(((t35 & 255u) << 16u) | (t33 << t34 >> 16u)) * 3.5527137e-15f * 1.5707964f);
            const float t41 = (t39 + t40) * as_float((127u - t34) << 23u);
            const bool t42 = as_uint(x) >= 2147483648u;
            const uint t43 = (t28 >> 30u) + (t31 ? 1u : 0u);
            var0 = (t31 && !t42) || (!t31 && t42) ? -t41 : t41;
            var1 = t42 ? 0u - t43 : t43;
        }
    }
    const float t44 = var0;
    const uint t45 = var1;
    const float t46 = t44 * t44;
    const float t47 = t44 * t44;
    const float t48 = t47 * 0.5f;
    const float t49 = 1.0f - t48;
    const float t50 = (t45 & 1u) != 0u ? t49 + (1.0f - t49 - t48 + t47 * t47 * (((t47 * -2.720955e-07f + 2.4799512e-05f) * t47 + -0.0013888883f) * t47 + 0.041666668f)) : t44 + t44 * t46 * (((t46 * 2.7180465e-06f + -0.00019839304f) * t46 + 0.008333329f) * t46 + -0.16666667f);
    return (as_uint(x) & 2147483647u) >= 2139095040u ? as_float(0x7fc00000u) : ((as_uint(x) & 2147483647u) < 964689920u ? x : ((t45 & 2u) != 0u ? -t50 : t50));
}
float vd_cos(float x) {
#pragma OPENCL FP_CONTRACT OFF
    float var0 = x;
    uint var1 = 0u;
    const uint t0 = as_uint(x) & 2147483647u;
    if (t0 > 1061752794u) {
        if (t0 < 1128792064u) {
            const float t1 = rint(x * 0.63661975f);
            const float t2 = x - t1 * 1.5707855f;
            const float t3 = t1 * 1.0804273e-05f;
            const float t4 = t2 - t3;
            var0 = t4 - (t1 * 6.0770944e-11f + (t1 * 6.123234e-17f - (t2 - t4 - t3)));
            var1 = as_uint(convert_int_sat(t1));
        } else {
            const uint t5 = as_uint(x) & 2147483647u;
            const uint t6 = (t5 << 8u) | 2147483648u;
            const uint t7 = (t5 >> 23u) - 128u;
            const uint t8 = t7 >> 5u;
            const uint t9 = t7 & 31u;
            const uint t10 = t8 == 0u ? 2734261102u : (t8 == 1u ? 1313084713u : (t8 == 2u ? 4230436817u : 4113882560u));
            const uint t11 = t8 == 0u ? 1313084713u : (t8 == 1u ? 4230436817u : (t8 == 2u ? 4113882560u : 3680671129u));
            const uint t12 = 31u - t9;
            const uint t13 = (t10 << t9) | (t11 >> 1u >> t12);
            const uint t14 = (t11 << t9) | ((t8 == 0u ? 4230436817u : (t8 == 1u ? 4113882560u : (t8 == 2u ? 3680671129u : 1011060801u))) >> 1u >> t12);
            const uint t15 = t6 & 65535u;
            const uint t16 = t6 >> 16u;
            const uint t17 = t14 & 65535u;
            const uint t18 = t14 >> 16u;
            const uint t19 = t16 * t17 + ((t15 * t17) >> 16u);
            const uint t20 = t16 * t18 + (t19 >> 16u) + ((t15 * t18 + (t19 & 65535u)) >> 16u);
            const uint t21 = t6 & 65535u;
            const uint t22 = t6 >> 16u;
            const uint t23 = t13 & 65535u;
            const uint t24 = t13 >> 16u;
            const uint t25 = t22 * t23 + ((t21 * t23) >> 16u);
            const uint t26 = t6 * t13 + t20;
            const uint t27 = t6 * (((t8 == 0u ? 0u : (t8 == 1u ? 2734261102u : (t8 == 2u ? 1313084713u : 4230436817u))) << t9) | (t10 >> 1u >> t12)) + (t22 * t24 + (t25 >> 16u) + ((t21 * t24 + (t25 & 65535u)) >> 16u));
            const uint t28 = t27 + (t26 < t20 ? 1u : 0u);
            const uint t29 = (t28 << 2u) | (t26 >> 30u);
            const uint t30 = t26 << 2u;
            const bool t31 = t29 >= 2147483648u;
            const uint t32 = t31 ? ~t29 + (t30 == 0u ? 1u : 0u) : t29;
            const uint t33 = t31 ? 0u - t30 : t30;
            const uint t34 = clz(t32 | 1u);
            const uint t35 = (t32 << t34) | (t33 >> 1u >> (31u - t34));
            const float t36 = (float)as_int(t35 >> 8u) * 5.9604645e-08f;
            const float t37 = as_float(as_uint(t36) & 4294963200u);
            const float t38 = t36 - t37;
            const float t39 = t36 * 1.5707964f;
            const float t40 = t37 * 1.5703125f - t39 + t37 * 0.0004838705f + t38 * 1.5703125f + t38 * 0.0004838705f + (t36 * -4.371139e-08f + (float)as_int(((t35 & 255u) << 16u) | (t33 << t34 >> 16u)) * 3.5527137e-15f * 1.5707964f);
            const float t41 = (t39 + t40) * as_float((127u - t34) << 23u);
            const bool t42 = as_uint(x) >= 2147483648u;
            const uint t43 = (t28 >> 30u) + (t31 ? 1u : 0u);
            var0 = (t31 && !t42) || (!t31 && t42) ? -t41 : t41;
            var1 = t42 ? 0u - t43 : t43;
        }
    }
    const float t44 = var0;
    const uint t45 = var1;
    const float t46 = t44 * t44;
    const float t47 = t46 * 0.5f;
    const float t48 = 1.0f - t47;
    const float t49 = t44 * t44;
    const float t50 = (t45 & 1u) != 0u ? t44 + t44 * t49 * (((t49 * 2.7180465e-06f + -0.00019839304f) * t49 + 0.008333329f) * t49 + -0.16666667f) : t48 + (1.0f - t48 - t47 + t46 * t46 * (((t46 * -2.720955e-07f + 2.4799512e-05f) * t46 + -0.0013888883f) * t46 + 0.041666668f));
    return (as_uint(x) & 2147483647u) >= 2139095040u ? as_float(0x7fc00000u) : (((t45 + 1u) & 2u) != 0u ? -t50 : t50);
}
float vd_tan(float x) {
#pragma OPENCL FP_CONTRACT OFF
    float var0 = x;
    uint var1 = 0u;
    const uint t0 = as_uint(x) & 2147483647u;
    if (t0 > 1061752794u) {
        if (t0 < 1128792064u) {
            const float t1 = rint(x * 0.63661975f);
            const float t2 = x - t1 * 1.5707855f;
            const float t3 = t1 * 1.0804273e-05f;
            const float t4 = t2 - t3;
            var0 = t4 - (t1 * 6.0770944e-11f + (t1 * 6.123234e-17f - (t2 - t4 - t3)));
            var1 = as_uint(convert_int_sat(t1));
        } else {
            const uint t5 = as_uint(x) & 2147483647u;
            const uint t6 = (t5 << 8u) | 2147483648u;
            const uint t7 = (t5 >> 23u) - 128u;
            const uint t8 = t7 >> 5u;
            const uint t9 = t7 & 31u;
            const uint t10 = t8 == 0u ? 2734261102u : (t8 == 1u ? 1313084713u : (t8 == 2u ? 4230436817u : 4113882560u));
            const uint t11 = t8 == 0u ? 1313084713u : (t8 == 1u ? 4230436817u : (t8 == 2u ? 4113882560u : 3680671129u));
            const uint t12 = 31u - t9;
            const uint t13 = (t10 << t9) | (t11 >> 1u >> t12);
            const uint t14 = (t11 << t9) | ((t8 == 0u ? 4230436817u : (t8 == 1u ? 4113882560u : (t8 == 2u ? 3680671129u : 1011060801u))) >> 1u >> t12);
            const uint t15 = t6 & 65535u;
            const uint t16 = t6 >> 16u;
            const uint t17 = t14 & 65535u;
            const uint t18 = t14 >> 16u;
            const uint t19 = t16 * t17 + ((t15 * t17) >> 16u);
            const uint t20 = t16 * t18 + (t19 >> 16u) + ((t15 * t18 + (t19 & 65535u)) >> 16u);
            const uint t21 = t6 & 65535u;
            const uint t22 = t6 >> 16u;
            const uint t23 = t13 & 65535u;
            const uint t24 = t13 >> 16u;
            const uint t25 = t22 * t23 + ((t21 * t23) >> 16u);
            const uint t26 = t6 * t13 + t20;
            const uint t27 = t6 * (((t8 == 0u ? 0u : (t8 == 1u ? 2734261102u : (t8 == 2u ? 1313084713u : 4230436817u))) << t9) | (t10 >> 1u >> t12)) + (t22 * t24 + (t25 >> 16u) + ((t21 * t24 + (t25 & 65535u)) >> 16u));
            const uint t28 = t27 + (t26 < t20 ? 1u : 0u);
            const uint t29 = (t28 << 2u) | (t26 >> 30u);
            const uint t30 = t26 << 2u;
            const bool t31 = t29 >= 2147483648u;
            const uint t32 = t31 ? ~t29 + (t30 == 0u ? 1u : 0u) : t29;
            const uint t33 = t31 ? 0u - t30 : t30;
            const uint t34 = clz(t32 | 1u);
            const uint t35 = (t32 << t34) | (t33 >> 1u >> (31u - t34));
            const float t36 = (float)as_int(t35 >> 8u) * 5.9604645e-08f;
            const float t37 = as_float(as_uint(t36) & 4294963200u);
            const float t38 = t36 - t37;
            const float t39 = t36 * 1.5707964f;
            const float t40 = t37 * 1.5703125f - t39 + t37 * 0.0004838705f + t38 * 1.5703125f + t38 * 0.0004838705f + (t36 * -4.371139e-08f + (float)as_int(((t35 & 255u) << 16u) | (t33 << t34 >> 16u)) * 3.5527137e-15f * 1.5707964f);
            const float t41 = (t39 + t40) * as_float((127u - t34) << 23u);
            const bool t42 = as_uint(x) >= 2147483648u;
            const uint t43 = (t28 >> 30u) + (t31 ? 1u : 0u);
            var0 = (t31 && !t42) || (!t31 && t42) ? -t41 : t41;
            var1 = t42 ? 0u - t43 : t43;
        }
    }
    const float t44 = var0;
    const float t45 = t44 * t44;
    const float t46 = t44 + t44 * t45 * (((t45 * 2.7180465e-06f + -0.00019839304f) * t45 + 0.008333329f) * t45 + -0.16666667f);
    const float t47 = t44 * t44;
    const float t48 = t47 * 0.5f;
    const float t49 = 1.0f - t48;
    const float t50 = t49 + (1.0f - t49 - t48 + t47 * t47 * (((t47 * -2.720955e-07f + 2.4799512e-05f) * t47 + -0.0013888883f) * t47 + 0.041666668f));
    const bool t51 = (var1 & 1u) != 0u;
    const float t52 = t51 ? t46 : t50;
    const float t53 = t51 ? -t50 : t46;
    const float t54 = t53 / t52;
    const float t55 = as_float(as_uint(t54) & 4294963200u);
    const float t56 = t54 - t55;
    const float t57 = as_float(as_uint(t52) & 4294963200u);
    const float t58 = t52 - t57;
    const float t59 = t54 * t52;
    const float t60 = (t53 - t59 - (t55 * t57 - t59 + t55 * t58 + t56 * t57 + t56 * t58)) / t52;
    const float t61 = t54 + t60;
    return (as_uint(x) & 2147483647u) >= 2139095040u ? as_float(0x7fc00000u) : ((as_uint(x) & 2147483647u) < 964689920u ? x : t61 + (t60 - (t61 - t54)));
}
float vd_asin(float x) {
#pragma OPENCL FP_CONTRACT OFF
    const float t0 = fabs(x);
    const bool t1 = t0 < 0.5f;
    const float t2 = t1 ? t0 * t0 : (1.0f - fmin(t0, 1.0f)) * 0.5f;
    const bool t3 = t2 == 0.0f;
    const float t4 = t3 || t1 ? 1.0f : t2;
    const float t5 = sqrt(t4);
    const float t6 = as_float(as_uint(t5) & 4294963200u);
    const float t7 = t5 - t6;
    const float t8 = as_float(as_uint(t5) & 4294963200u);
    const float t9 = t5 - t8;
    const float t10 = t5 * t5;
    const float t11 = (t4 - t10 - (t6 * t8 - t10 + t6 * t9 + t7 * t8 + t7 * t9)) / (t5 + t5);
    const float t12 = t5 + t11;
    const float t13 = t1 ? t0 : (t3 ? 0.0f : t12);
    const float t14 = t13 * t2 * (((((t2 * 0.03751648f + 0.014438587f) * t2 + 0.031807724f) * t2 + 0.044516955f) * t2 + 0.07500504f) * t2 + 0.1666666f);
    const uint t15 = as_uint(t1 ? t13 + t14 : 1.5707964f - (t13 * 2.0f - (-4.371139e-08f - ((t3 ? 0.0f : t11 - (t12 - t5)) + t14) * 2.0f))) & 2147483647u;
    return t0 <= 1.0f ? as_float(t15 | (as_uint(x) & 2147483648u)) : as_float(0x7fc00000u);
}
float vd_acos(float x) {
#pragma OPENCL FP_CONTRACT OFF
    const float t0 = fabs(x);
    const bool t1 = t0 < 0.5f;
    const float t2 = t1 ? x * x : (1.0f - fmin(t0, 1.0f)) * 0.5f;
    const bool t3 = t2 == 0.0f;
    const float t4 = t3 || t1 ? 1.0f : t2;
    const float t5 = sqrt(t4);
    const float t6 = as_float(as_uint(t5) & 4294963200u);
    const float t7 = t5 - t6;
    const float t8 = as_float(as_uint(t5) & 4294963200u);
    const float t9 = t5 - t8;
    const float t10 = t5 * t5;
    const float t11 = (t4 - t10 - (t6 * t8 - t10 + t6 * t9 + t7 * t8 + t7 * t9)) / (t5 + t5);
    const float t12 = t5 + t11;
    const float t13 = t1 ? x : (t3 ? 0.0f : t12);
    const float t14 = t13 * t2 * (((((t2 * 0.03751648f + 0.014438587f) * t2 + 0.031807724f) * t2 + 0.044516955f) * t2 + 0.07500504f) * t2 + 0.1666666f);
    const float t15 = t3 ? 0.0f : t11 - (t12 - t5);
    const float t16 = t0 <= 1.0f ? (t1 ? 1.5707964f - (t13 - (-4.371139e-08f - t14)) : (x < 0.0f ? 3.1415927f - (t13 * 2.0f - (-8.742278e-08f - (t15 + t14) * 2.0f)) : (t13 + (t15 + t14)) * 2.0f)) : as_float(0x7fc00000u);
    return t16;
}
float vd_atan(float x) {
#pragma OPENCL FP_CONTRACT OFF
    const float t0 = fabs(x);
    const bool t1 = t0 > 1.0f;
    const float t2 = t1 ? fmin(t0, 67108864.0f) : 1.0f;
    const float t3 = 1.0f / t2;
    const float t4 = as_float(as_uint(t3) & 4294963200u);
    const float t5 = t3 - t4;
    const float t6 = as_float(as_uint(t2) & 4294963200u);
    const float t7 = t2 - t6;
    const float t8 = t3 * t2;
    const float t9 = (1.0f - t8 - (t4 * t6 - t8 + t4 * t7 + t5 * t6 + t5 * t7)) / t2;
    const float t10 = t3 + t9;
    const float t11 = t1 ? t10 : t0;
    const float t12 = t11 * t11;
    const float t13 = (((((t12 * -0.0017936224f + 0.010914609f) * t12 + -0.031177852f) * t12 + 0.0579576f) * t12 + -0.08403451f) * t12 + 0.10952186f) * t12;
    const float t14 = t11 * t12 * (((t13 + -0.14264242f) * t12 + 0.19998549f) * t12 + -0.333333f) + (t1 ? t9 - (t10 - t3) : 0.0f);
    const float t15 = (as_uint(x) & 2147483647u) > 2139095040u ? x : as_float((as_uint(t1 ? 1.5707964f - (t11 - (-4.371139e-08f - t14)) : t11 + t14) & 2147483647u) | (as_uint(x) & 2147483648u));
    return t15;
}
float vd_sinh(float x) {
#pragma OPENCL FP_CONTRACT OFF
    const float t0 = fabs(x);
    const float t1 = t0 * t0;
    const float t2 = fmin(t0, 100.0f);
    const float t3 = rint(t2 * 1.442695f);
    const float t4 = t2 - t3 * 0.69314575f;
    const float t5 = t3 * 1.4286068e-06f;
    const float t6 = t4 - t5;
    const float t7 = t4 - t6 - t5 + 0.0f;
    const float t8 = t6 * t6 * (((((t6 * 0.00019919922f + 0.0013947212f) * t6 + 0.008333261f) * t6 + 0.041666254f) * t6 + 0.16666667f) * t6 + 0.5f);
    const float t9 = t3 + -1.0f;
    const float t10 = rint(t9 * 0.5f);
    const float t11 = (t6 + (t8 + (t7 + t7 * (t6 + t8))) + 1.0f) * as_float((as_uint(convert_int_sat(t10)) + 127u) << 23u) * as_float((as_uint(convert_int_sat(t9 - t10)) + 127u) << 23u);
    const uint t12 = as_uint(t0 < 1.0f ? t0 + t0 * t1 * (((t1 * 2.816951e-06f + 0.0001983616f) * t1 + 0.00833335f) * t1 + 0.16666667f) : t11 - 0.25f / t11) & 2147483647u;
    return (as_uint(x) & 2147483647u) > 2139095040u ? x : as_float(t12 | (as_uint(x) & 2147483648u));
}
float vd_cosh(float x) {
#pragma OPENCL FP_CONTRACT OFF
    const float t0 = fmin(fabs(x), 100.0f);
    const float t1 = rint(t0 * 1.442695f);
    const float t2 = t0 - t1 * 0.69314575f;
    const float t3 = t1 * 1.4286068e-06f;
    const float t4 = t2 - t3;
    const float t5 = t2 - t4 - t3 + 0.0f;
    const float t6 = t4 * t4 * (((((t4 * 0.00019919922f + 0.0013947212f) * t4 + 0.008333261f) * t4 + 0.041666254f) * t4 + 0.16666667f) * t4 + 0.5f);
    const float t7 = t1 + -1.0f;
    const float t8 = rint(t7 * 0.5f);
    const float t9 = (t4 + (t6 + (t5 + t5 * (t4 + t6))) + 1.0f) * as_float((as_uint(convert_int_sat(t8)) + 127u) << 23u) * as_float((as_uint(convert_int_sat(t7 - t8)) + 127u) << 23u);
    return (as_uint(x) & 2147483647u) > 2139095040u ? x : t9 + 0.25f / t9;
}
float vd_tanh(float x) {
#pragma OPENCL FP_CONTRACT OFF
    const float t0 = fabs(x);
    const float t1 = t0 * t0;
    const float t2 = fmin(t0, 20.0f) * 2.0f;
    const float t3 = rint(t2 * 1.442695f);
    const float t4 = t2 - t3 * 0.69314575f;
    const float t5 = t3 * 1.4286068e-06f;
    const float t6 = t4 - t5;
    const float t7 = t4 - t6 - t5 + 0.0f;
    const float t8 = t6 * t6 * (((((t6 * 0.00019919922f + 0.0013947212f) * t6 + 0.008333261f) * t6 + 0.041666254f) * t6 + 0.16666667f) * t6 + 0.5f);
    const float t9 = t3 + 0.0f;
    const float t10 = rint(t9 * 0.5f);
    const float t11 = (t6 + (t8 + (t7 + t7 * (t6 + t8))) + 1.0f) * as_float((as_uint(convert_int_sat(t10)) + 127u) << 23u) * as_float((as_uint(convert_int_sat(t9 - t10)) + 127u) << 23u);
    const float t12 = t0 < 0.625f ? t0 + t0 * t1 * ((((t1 * -0.0057049873f + 0.020639088f) * t1 + -0.053739715f) * t1 + 0.13331442f) * t1 + -0.3333328f) : 1.0f - 2.0f / (t11 + 1.0f);
    return (as_uint(x) & 2147483647u) > 2139095040u ? x : as_float((as_uint(t12) & 2147483647u) | (as_uint(x) & 2147483648u));
}
float vd_asinh(float x) {
#pragma OPENCL FP_CONTRACT OFF
    const float t0 = fabs(x);
    const float t1 = t0 * t0;
    const float t2 = t0 * t1 * (((((t1 * 0.009167713f + -0.019979985f) * t1 + 0.030012952f) * t1 + -0.04461325f) * t1 + 0.07499889f) * t1 + -0.16666666f);
    const float t3 = fmin(t0, 1073741800.0f);
    const float t4 = t3 * t3;
    const float t5 = t4 + 1.0f;
    const float t6 = sqrt(t5);
    const float t7 = as_float(as_uint(t6) & 4294963200u);
    const float t8 = t6 - t7;
    const float t9 = as_float(as_uint(t6) & 4294963200u);
    const float t10 = t6 - t9;
    const float t11 = t6 * t6;
    const float t12 = (t5 - t11 - (t7 * t9 - t11 + t7 * t10 + t8 * t9 + t8 * t10)) / (t6 + t6);
    const float t13 = t6 + t12;
    const float t14 = t13 + 1.0f;
    const float t15 = t4 / t14;
    const float t16 = as_float(as_uint(t15) & 4294963200u);
    const float t17 = t15 - t16;
    const float t18 = as_float(as_uint(t14) & 4294963200u);
    const float t19 = t14 - t18;
    const float t20 = t15 * t14;
    const float t21 = (t4 - t20 - (t16 * t18 - t20 + t16 * t19 + t17 * t18 + t17 * t19)) / t14;
    const float t22 = t15 + t21;
    const float t23 = t3 + (t22 + (t21 - (t22 - t15)));
    const float t24 = t23 + 1.0f;
    const uint t25 = as_uint(t24);
    const uint t26 = t25 < 8388608u ? clz(t25 | 1u) - 8u : 0u;
    const uint t27 = (t25 << t26) + 4913933u;
    const float t28 = (float)as_int((t27 >> 23u) - 127u - t26);
    const float t29 = as_float((t27 & 8388607u) + 1060439283u) - 1.0f;
    const float t30 = (((((t29 * 0.06747731f + -0.116775155f) * t29 + 0.11888696f) * t29 + -0.124053404f) * t29 + 0.14219452f) * t29 + -0.16668005f) * t29;
    const float t31 = t29 * (t29 * t29) * (((t30 + 0.20002124f) * t29 + -0.2500001f) * t29 + 0.33333313f) + (t28 * 1.4286068e-06f + (t23 < 1.0f ? t23 - (t24 - 1.0f) : 1.0f - (t24 - t23)) / t24);
    const uint t32 = as_uint(t0);
    const uint t33 = t32 < 8388608u ? clz(t32 | 1u) - 8u : 0u;
    const uint t34 = (t32 << t33) + 4913933u;
    const float t35 = (float)as_int((t34 >> 23u) - 127u - t33);
    const float t36 = as_float((t34 & 8388607u) + 1060439283u) - 1.0f;
    const float t37 = (((((t36 * 0.06747731f + -0.116775155f) * t36 + 0.11888696f) * t36 + -0.124053404f) * t36 + 0.14219452f) * t36 + -0.16668005f) * t36;
    const float t38 = t35 * 0.69314575f + (t36 - (t36 * t36 * 0.5f - (t36 * (t36 * t36) * (((t37 + 0.20002124f) * t36 + -0.2500001f) * t36 + 0.33333313f) + (t35 * 1.4286068e-06f + 0.0f))));
    const uint t39 = (as_uint(t0 < 0.5f ? t0 + t2 : (t0 < 268435460.0f ? t28 * 0.69314575f + (t29 - (t29 * t29 * 0.5f - t31)) : t38 + 0.6931472f)) & 2147483647u) | (as_uint(x) & 2147483648u);
    return (as_uint(x) & 2147483647u) >= 2139095040u ? x : as_float(t39);
}
float vd_acosh(float x) {
#pragma OPENCL FP_CONTRACT OFF
    const bool t0 = x == 1.0f;
    const float t1 = fmin(t0 ? 2.0f : x, 1073741800.0f) - 1.0f;
    const float t2 = t1 * 2.0f + t1 * t1;
    const float t3 = sqrt(t2);
    const float t4 = as_float(as_uint(t3) & 4294963200u);
    const float t5 = t3 - t4;
    const float t6 = as_float(as_uint(t3) & 4294963200u);
    const float t7 = t3 - t6;
    const float t8 = t3 * t3;
    const float t9 = (t2 - t8 - (t4 * t6 - t8 + t4 * t7 + t5 * t6 + t5 * t7)) / (t3 + t3);
    const float t10 = t3 + t9;
    const float t11 = t1 + (t10 + (t9 - (t10 - t3)));
    const float t12 = t11 + 1.0f;
    const uint t13 = as_uint(t12);
    const uint t14 = t13 < 8388608u ? clz(t13 | 1u) - 8u : 0u;
    const uint t15 = (t13 << t14) + 4913933u;
    const float t16 = (float)as_int((t15 >> 23u) - 127u - t14);
    const float t17 = as_float((t15 & 8388607u) + 1060439283u) - 1.0f;
    const float t18 = (((((t17 * 0.06747731f + -0.116775155f) * t17 + 0.11888696f) * t17 + -0.124053404f) * t17 + 0.14219452f) * t17 + -0.16668005f) * t17;
    const float t19 = t17 * (t17 * t17) * (((t18 + 0.20002124f) * t17 + -0.2500001f) * t17 + 0.33333313f) + (t16 * 1.4286068e-06f + (t11 < 1.0f ? t11 - (t12 - 1.0f) : 1.0f - (t12 - t11)) / t12);
    const uint t20 = as_uint(x);
    const uint t21 = t20 < 8388608u ? clz(t20 | 1u) - 8u : 0u;
    const uint t22 = (t20 << t21) + 4913933u;
    const float t23 = (float)as_int((t22 >> 23u) - 127u - t21);
    const float t24 = as_float((t22 & 8388607u) + 1060439283u) - 1.0f;
    const float t25 = (((((t24 * 0.06747731f + -0.116775155f) * t24 + 0.11888696f) * t24 + -0.124053404f) * t24 + 0.14219452f) * t24 + -0.16668005f) * t24;
    const float t26 = t23 * 0.69314575f + (t24 - (t24 * t24 * 0.5f - (t24 * (t24 * t24) * (((t25 + 0.20002124f) * t24 + -0.2500001f) * t24 + 0.33333313f) + (t23 * 1.4286068e-06f + 0.0f))));
    const float t27 = x >= 1.0f ? (t0 ? 0.0f : (as_uint(x) == 2139095040u ? x : (x < 268435460.0f ? t16 * 0.69314575f + (t17 - (t17 * t17 * 0.5f - t19)) : t26 + 0.6931472f))) : as_float(0x7fc00000u);
    return t27;
}
float vd_atanh(float x) {
#pragma OPENCL FP_CONTRACT OFF
    const float t0 = fabs(x);
    const float t1 = t0 * t0;
    const float t2 = (((((t1 * 0.17594256f + 0.024521906f) * t1 + 0.1028269f) * t1 + 0.10966982f) * t1 + 0.14294852f) * t1 + 0.19999728f) * t1;
    const bool t3 = t0 < 1.0f;
    const float t4 = t3 ? t0 : 0.5f;
    const float t5 = 1.0f - t4;
    const float t6 = t4 * 2.0f;
    const float t7 = t6 / t5;
    const float t8 = as_float(as_uint(t7) & 4294963200u);
    const float t9 = t7 - t8;
    const float t10 = as_float(as_uint(t5) & 4294963200u);
    const float t11 = t5 - t10;
    const float t12 = t7 * t5;
    const float t13 = (t6 - t12 - (t8 * t10 - t12 + t8 * t11 + t9 * t10 + t9 * t11)) / t5;
    const float t14 = t7 + t13;
    const float t15 = t14 + (t13 - (t14 - t7));
    const float t16 = t15 + 1.0f;
    const uint t17 = as_uint(t16);
    const uint t18 = t17 < 8388608u ? clz(t17 | 1u) - 8u : 0u;
    const uint t19 = (t17 << t18) + 4913933u;
    const float t20 = (float)as_int((t19 >> 23u) - 127u - t18);
    const float t21 = as_float((t19 & 8388607u) + 1060439283u) - 1.0f;
    const float t22 = (((((t21 * 0.06747731f + -0.116775155f) * t21 + 0.11888696f) * t21 + -0.124053404f) * t21 + 0.14219452f) * t21 + -0.16668005f) * t21;
    const float t23 = t21 * (t21 * t21) * (((t22 + 0.20002124f) * t21 + -0.2500001f) * t21 + 0.33333313f) + (t20 * 1.4286068e-06f + (t15 < 1.0f ? t15 - (t16 - 1.0f) : 1.0f - (t16 - t15)) / t16);
    const float t24 = t3 ? (t0 < 0.5f ? t0 + t0 * t1 * (t2 + 0.33333337f) : (t20 * 0.69314575f + (t21 - (t21 * t21 * 0.5f - t23))) * 0.5f) : (t0 == 1.0f ? as_float(0x7f800000u) : as_float(0x7fc00000u));
    return as_float((as_uint(t24) & 2147483647u) | (as_uint(x) & 2147483648u));
}
float vd_pow(float x, float y) {
#pragma OPENCL FP_CONTRACT OFF
    const uint t0 = as_uint(x);
    const uint t1 = as_uint(y);
    const uint t2 = t0 & 2147483647u;
    const uint t3 = t1 & 2147483647u;
    const uint t4 = t2 < 8388608u ? clz(t2 | 1u) - 8u : 0u;
    const uint t5 = (t2 << t4) + 4913933u;
    const float t6 = (float)as_int((t5 >> 23u) - 127u - t4);
    const float t7 = as_float((t5 & 8388607u) + 1060439283u) - 1.0f;
    const float t8 = t7 + 2.0f;
    const float t9 = t7 / t8;
    const float t10 = as_float(as_uint(t9) & 4294963200u);
    const float t11 = t9 - t10;
    const float t12 = as_float(as_uint(t8) & 4294963200u);
    const float t13 = t8 - t12;
    const float t14 = t9 * t8;
    const float t15 = (t7 - t14 - (t10 * t12 - t14 + t10 * t13 + t11 * t12 + t11 * t13) - t9 * (t7 - (t8 - 2.0f))) / t8;
    const float t16 = as_float(as_uint(t9) & 4294963200u);
    const float t17 = t9 - t16;
    const float t18 = as_float(as_uint(t9) & 4294963200u);
    const float t19 = t9 - t18;
    const float t20 = t9 * t9;
    const float t21 = as_float(as_uint(t20) & 4294963200u);
    const float t22 = t20 - t21;
    const float t23 = as_float(as_uint(t9) & 4294963200u);
    const float t24 = t9 - t23;
    const float t25 = t20 * t9;
    const float t26 = as_float(as_uint(t25) & 4294963200u);
    const float t27 = t25 - t26;
    const float t28 = t25 * 0.6666667f;
    const float t29 = t25 * -1.9868216e-08f + (t21 * t23 - t25 + t21 * t24 + t22 * t23 + t22 * t24 + ((t16 * t18 - t20 + t16 * t19 + t17 * t18 + t17 * t19 + t9 * t15 * 2.0f) * t9 + t20 * t15)) * 0.6666667f;
    const float t30 = t9 * 2.0f;
    const float t31 = t30 + t28;
    const float t32 = t26 * 0.6665039f - t28 + t26 * 0.00016278028f + t27 * 0.6665039f + t27 * 0.00016278028f + t29 + t20 * t20 * (t9 * 2.0f) * ((t20 * 0.11712724f + 0.14273429f) * t20 + 0.20000078f);
    const float t33 = t6 * 0.69314575f;
    const float t34 = t33 + t31;
    const float t35 = t34 - t33;
    const float t36 = t33 - (t34 - t35) + (t31 - t35) + (t28 - (t31 - t30) + (t15 * 2.0f + t32) + t6 * 1.4286068e-06f);
    const float t37 = t34 + t36;
    const float t38 = as_float(as_uint(y) & 4294963200u);
    const float t39 = y - t38;
    const float t40 = as_float(as_uint(t37) & 4294963200u);
    const float t41 = t37 - t40;
    const float t42 = y * t37;
    const bool t43 = t42 > 100.0f;
    const bool t44 = t42 < -110.0f;
    const float t45 = fmax(fmin(t42, 100.0f), -110.0f);
    const float t46 = rint(t45 * 1.442695f);
    const float t47 = t45 - t46 * 0.69314575f;
    const float t48 = t46 * 1.4286068e-06f;
    const float t49 = t47 - t48;
    const float t50 = t47 - t49 - t48 + (t43 || t44 ? 0.0f : t38 * t40 - t42 + t38 * t41 + t39 * t40 + t39 * t41 + y * (t36 - (t37 - t34)));
    const float t51 = t49 * t49 * (((((t49 * 0.00019919922f + 0.0013947212f) * t49 + 0.008333261f) * t49 + 0.041666254f) * t49 + 0.16666667f) * t49 + 0.5f);
    const float t52 = t46 + 0.0f;
    const float t53 = rint(t52 * 0.5f);
    const float t54 = (t49 + (t51 + (t50 + t50 * (t49 + t51))) + 1.0f) * as_float((as_uint(convert_int_sat(t53)) + 127u) << 23u) * as_float((as_uint(convert_int_sat(t52 - t53)) + 127u) << 23u);
    const bool t55 = t3 >= 1266679808u;
    const int t56 = convert_int_sat(t55 ? 0.0f : y);
    const bool t57 = t55 || (float)t56 == y;
    const bool t58 = t0 >= 2147483648u;
    const bool t59 = t1 >= 2147483648u;
    const uint t60 = t58 && (t57 && (as_uint(t56) & 1u) != 0u) ? 2147483648u : 0u;
    const float t61 = (t2 == 0u && !t59) || (t2 == 2139095040u && t59) ? 0.0f : ((t2 == 0u && t59) || (t2 == 2139095040u && !t59) ? as_float(0x7f800000u) : (t43 ? as_float(0x7f800000u) : (t44 ? 0.0f : t54)));
    const float t62 = as_float(as_uint(t3 == 2139095040u ? (t2 == 1065353216u ? 1.0f : ((t2 > 1065353216u && !t59) || (t2 < 1065353216u && t59) ? as_float(0x7f800000u) : 0.0f)) : t61) | t60);
    const float t63 = (as_uint(x) & 2147483647u) > 2139095040u || (as_uint(y) & 2147483647u) > 2139095040u ? as_float(0x7fc00000u) : (t58 && (t2 > 0u && t2 < 2139095040u) && !t57 ? as_float(0x7fc00000u) : t62);
    return t3 == 0u || t0 == 1065353216u ? 1.0f : t63;
}
float vd_atan2(float x, float y) {
#pragma OPENCL FP_CONTRACT OFF
    const float t0 = fabs(y);
    const float t1 = fabs(x);
    const bool t2 = t1 > t0;
    const bool t3 = as_uint(t0) == 2139095040u;
    const bool t4 = as_uint(t1) == 2139095040u;
    const float t5 = t3 || t4 ? 1.0f : (t2 ? t1 : t0);
    const float t6 = t5 > 1.2676506e+30f ? 2.1684043e-19f : (t5 < 8.6736174e-19f ? 1.329228e+36f : (t5 < 1048576.0f ? 1.8446744e+19f : 1.0f));
    const float t7 = t5 * t6;
    const float t8 = (t3 && t4 ? 1.0f : (t3 || t4 ? 0.0f : (t2 ? t0 : t1))) * t6;
    const bool t9 = t7 == 0.0f;
    const float t10 = t9 ? 1.0f : t7;
    const float t11 = t8 / t10;
    const float t12 = as_float(as_uint(t11) & 4294963200u);
    const float t13 = t11 - t12;
    const float t14 = as_float(as_uint(t10) & 4294963200u);
    const float t15 = t10 - t14;
    const float t16 = t11 * t10;
    const float t17 = (t8 - t16 - (t12 * t14 - t16 + t12 * t15 + t13 * t14 + t13 * t15)) / t10;
    const float t18 = t11 + t17;
    const bool t19 = t18 < 8.6736174e-19f;
    const float t20 = t19 ? t8 / (t9 ? 1.0f : t7) : t18;
    const float t21 = t20 * t20;
    const float t22 = (((((t21 * -0.0017936224f + 0.010914609f) * t21 + -0.031177852f) * t21 + 0.0579576f) * t21 + -0.08403451f) * t21 + 0.10952186f) * t21;
    const float t23 = t20 * t21 * (((t22 + -0.14264242f) * t21 + 0.19998549f) * t21 + -0.333333f) + (t19 ? 0.0f : t17 - (t18 - t11));
    const bool t24 = as_uint(y) >= 2147483648u;
    const float t25 = t2 ? (t24 ? t20 + (t23 + -4.371139e-08f) + 1.5707964f : 1.5707964f - (t20 - (-4.371139e-08f - t23))) : (t24 ? 3.1415927f - (t20 - (-8.742278e-08f - t23)) : t20 + t23);
    const float t26 = (as_uint(y) & 2147483647u) > 2139095040u || (as_uint(x) & 2147483647u) > 2139095040u ? as_float(0x7fc00000u) : as_float((as_uint(t25) & 2147483647u) | (as_uint(x) & 2147483648u));
    return t26;
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global float* x_memory, ulong x_offset, __global float* v_memory, ulong v_offset, __global half* h_memory, ulong h_offset) {
    __global float* const x = (__global float*)((__global uchar*)x_memory + x_offset);
    __global float* const v = (__global float*)((__global uchar*)v_memory + v_offset);
    __global half* const h = (__global half*)((__global uchar*)h_memory + h_offset);
    const uint global_id_x = (uint)get_global_id(0);
    const float t0 = x[global_id_x];
    x[100u] = vd_exp(t0);
    x[101u] = vd_exp2(t0);
    x[102u] = vd_log(t0);
    x[103u] = vd_log2(t0);
    x[104u] = vd_sin(t0);
    x[105u] = vd_cos(t0);
    x[106u] = vd_tan(t0);
    x[107u] = vd_asin(t0);
    x[108u] = vd_acos(t0);
    x[109u] = vd_atan(t0);
    x[110u] = vd_sinh(t0);
    x[111u] = vd_cosh(t0);
    x[112u] = vd_tanh(t0);
    x[113u] = vd_asinh(t0);
    x[114u] = vd_acosh(t0);
    x[115u] = vd_atanh(t0);
    x[116u] = vd_pow(t0, 1.5f);
    x[117u] = vd_atan2(t0, 1.5f);
    const float3 t1 = vload3(global_id_x, v);
    vstore3((float3)(vd_sin(t1.x), vd_sin(t1.y), vd_sin(t1.z)), global_id_x, v);
    h[global_id_x] = exp(h[global_id_x]);
}
