#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
typedef struct {
    uint n;
    float v[4];
    float x;
} item;

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global float* f_memory, ulong f_offset, __global ulong* u_memory, ulong u_offset, __global long* i_memory, ulong i_offset, __global item* s_memory, ulong s_offset, __global double* w_memory, ulong w_offset) {
    __global float* const f = (__global float*)((__global uchar*)f_memory + f_offset);
    __global ulong* const u = (__global ulong*)((__global uchar*)u_memory + u_offset);
    __global long* const i = (__global long*)((__global uchar*)i_memory + i_offset);
    __global item* const s = (__global item*)((__global uchar*)s_memory + s_offset);
    __global double* const w = (__global double*)((__global uchar*)w_memory + w_offset);
    __local float t[4] __attribute__((aligned(16)));
    const uint global_id_x = (uint)get_global_id(0);
    atom_add(&u[global_id_x], 3UL);
    const long t0 = atom_add(&i[global_id_x], -3L);
    i[global_id_x] = t0;
    uint var0 = ((__global uint*)f)[global_id_x];
    while (true) {
        const uint t1 = var0;
        const uint t2 = atomic_cmpxchg(&((__global uint*)f)[global_id_x], t1, as_uint(as_float(t1) + 2.0f));
        var0 = t2;
        if (t2 == t1) {
            break;
        }
    }
    f[global_id_x] = as_float(var0);
    uint var1 = ((__local uint*)t)[1u];
    while (true) {
        const uint t3 = var1;
        const uint t4 = atomic_cmpxchg(&((__local uint*)t)[1u], t3, as_uint(as_float(t3) + 2.0f));
        var1 = t4;
        if (t4 == t3) {
            break;
        }
    }
    ulong var2 = ((__global ulong*)w)[global_id_x];
    while (true) {
        const ulong t5 = var2;
        mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        const ulong t6 = atom_cmpxchg(&((__global ulong*)w)[global_id_x], t5, as_ulong(as_double(t5) + 2.0));
        mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        var2 = t6;
        if (t6 == t5) {
            break;
        }
    }
    atom_min(&u[global_id_x], 3UL);
    const long t7 = atom_min(&i[global_id_x], -3L);
    i[global_id_x] = t7;
    uint var3 = ((__global uint*)f)[global_id_x];
    while (true) {
        const uint t8 = var3;
        const uint t9 = atomic_cmpxchg(&((__global uint*)f)[global_id_x], t8, as_uint(fmin(as_float(t8), 2.0f)));
        var3 = t9;
        if (t9 == t8) {
            break;
        }
    }
    f[global_id_x] = as_float(var3);
    uint var4 = ((__local uint*)t)[1u];
    while (true) {
        const uint t10 = var4;
        const uint t11 = atomic_cmpxchg(&((__local uint*)t)[1u], t10, as_uint(fmin(as_float(t10), 2.0f)));
        var4 = t11;
        if (t11 == t10) {
            break;
        }
    }
    ulong var5 = ((__global ulong*)w)[global_id_x];
    while (true) {
        const ulong t12 = var5;
        mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        const ulong t13 = atom_cmpxchg(&((__global ulong*)w)[global_id_x], t12, as_ulong(fmin(as_double(t12), 2.0)));
        mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        var5 = t13;
        if (t13 == t12) {
            break;
        }
    }
    atom_max(&u[global_id_x], 3UL);
    const long t14 = atom_max(&i[global_id_x], -3L);
    i[global_id_x] = t14;
    uint var6 = ((__global uint*)f)[global_id_x];
    while (true) {
        const uint t15 = var6;
        const uint t16 = atomic_cmpxchg(&((__global uint*)f)[global_id_x], t15, as_uint(fmax(as_float(t15), 2.0f)));
        var6 = t16;
        if (t16 == t15) {
            break;
        }
    }
    f[global_id_x] = as_float(var6);
    uint var7 = ((__local uint*)t)[1u];
    while (true) {
        const uint t17 = var7;
        const uint t18 = atomic_cmpxchg(&((__local uint*)t)[1u], t17, as_uint(fmax(as_float(t17), 2.0f)));
        var7 = t18;
        if (t18 == t17) {
            break;
        }
    }
    ulong var8 = ((__global ulong*)w)[global_id_x];
    while (true) {
        const ulong t19 = var8;
        mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        const ulong t20 = atom_cmpxchg(&((__global ulong*)w)[global_id_x], t19, as_ulong(fmax(as_double(t19), 2.0)));
        mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        var8 = t20;
        if (t20 == t19) {
            break;
        }
    }
    atom_xor(&u[global_id_x], 3UL);
    const long t21 = atom_xor(&i[global_id_x], -3L);
    i[global_id_x] = t21;
    atom_xchg(&u[global_id_x], 3UL);
    const long t22 = atom_xchg(&i[global_id_x], -3L);
    i[global_id_x] = t22;
    const float t23 = atomic_xchg(&f[global_id_x], 2.0f);
    f[global_id_x] = t23;
    atomic_xchg(&t[1u], 2.0f);
    mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    atom_xchg(&((__global ulong*)w)[global_id_x], 4611686018427387904UL);
    mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    atom_cmpxchg(&u[global_id_x], 1UL, 2UL);
    const uint t24 = global_id_x * 6u + 1u + (global_id_x & 3u);
    uint var9 = ((__global uint*)s)[t24];
    while (true) {
        const uint t25 = var9;
        const uint t26 = atomic_cmpxchg(&((__global uint*)s)[t24], t25, as_uint(as_float(t25) - 2.0f));
        var9 = t26;
        if (t26 == t25) {
            break;
        }
    }
    const uint t27 = global_id_x * 6u + 5u;
    uint var10 = ((__global uint*)s)[t27];
    while (true) {
        const uint t28 = var10;
        const uint t29 = atomic_cmpxchg(&((__global uint*)s)[t27], t28, as_uint(fmax(as_float(t28), 2.0f)));
        var10 = t29;
        if (t29 == t28) {
            break;
        }
    }
}
