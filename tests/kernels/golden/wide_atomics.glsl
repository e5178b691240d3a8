#version 450
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_float : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

struct item {
    uint n;
    vec4 v;
    float x;
};
layout(set = 0, binding = 0, scalar) buffer Block_f { float data[]; } f;
layout(set = 0, binding = 1, scalar) buffer Block_u { uint64_t data[]; } u;
layout(set = 0, binding = 2, scalar) buffer Block_i { int64_t data[]; } i;
layout(set = 0, binding = 3, scalar) buffer Block_s { item data[]; } s;
layout(set = 0, binding = 4, scalar) buffer Block_w { double data[]; } w;
layout(set = 0, binding = 0, scalar) buffer Block_f_as_u32 { uint data[]; } f_as_u32;
layout(set = 0, binding = 4, scalar) buffer Block_w_as_u64 { uint64_t data[]; } w_as_u64;
layout(set = 0, binding = 3, scalar) buffer Block_s_as_u32 { uint data[]; } s_as_u32;
shared uint shared_memory[4];

void main() {
    atomicAdd(u.data[gl_GlobalInvocationID.x], 3ul);
    const int64_t t0 = atomicAdd(i.data[gl_GlobalInvocationID.x], -3l);
    i.data[gl_GlobalInvocationID.x] = t0;
    const float t1 = atomicAdd(f.data[gl_GlobalInvocationID.x], 2.0);
    f.data[gl_GlobalInvocationID.x] = t1;
    uint var0 = shared_memory[1u];
    while (true) {
        const uint t2 = var0;
        const uint t3 = atomicCompSwap(shared_memory[1u], t2, floatBitsToUint(uintBitsToFloat(t2) + 2.0));
        var0 = t3;
        if (t3 == t2) {
            break;
        }
    }
    memoryBarrier();
    atomicAdd(w.data[gl_GlobalInvocationID.x], 2.0lf);
    memoryBarrier();
    atomicMin(u.data[gl_GlobalInvocationID.x], 3ul);
    const int64_t t4 = atomicMin(i.data[gl_GlobalInvocationID.x], -3l);
    i.data[gl_GlobalInvocationID.x] = t4;
    uint var1 = f_as_u32.data[gl_GlobalInvocationID.x];
    while (true) {
        const uint t5 = var1;
        const uint t6 = atomicCompSwap(f_as_u32.data[gl_GlobalInvocationID.x], t5, floatBitsToUint(min(uintBitsToFloat(t5), 2.0)));
        var1 = t6;
        if (t6 == t5) {
            break;
        }
    }
    f.data[gl_GlobalInvocationID.x] = uintBitsToFloat(var1);
    uint var2 = shared_memory[1u];
    while (true) {
        const uint t7 = var2;
        const uint t8 = atomicCompSwap(shared_memory[1u], t7, floatBitsToUint(min(uintBitsToFloat(t7), 2.0)));
        var2 = t8;
        if (t8 == t7) {
            break;
        }
    }
    uint64_t var3 = w_as_u64.data[gl_GlobalInvocationID.x];
    while (true) {
        const uint64_t t9 = var3;
        memoryBarrier();
        const uint64_t t10 = atomicCompSwap(w_as_u64.data[gl_GlobalInvocationID.x], t9, doubleBitsToUint64(min(uint64BitsToDouble(t9), 2.0lf)));
        memoryBarrier();
        var3 = t10;
        if (t10 == t9) {
            break;
        }
    }
    atomicMax(u.data[gl_GlobalInvocationID.x], 3ul);
    const int64_t t11 = atomicMax(i.data[gl_GlobalInvocationID.x], -3l);
    i.data[gl_GlobalInvocationID.x] = t11;
    uint var4 = f_as_u32.data[gl_GlobalInvocationID.x];
    while (true) {
        const uint t12 = var4;
        const uint t13 = atomicCompSwap(f_as_u32.data[gl_GlobalInvocationID.x], t12, floatBitsToUint(max(uintBitsToFloat(t12), 2.0)));
        var4 = t13;
        if (t13 == t12) {
            break;
        }
    }
    f.data[gl_GlobalInvocationID.x] = uintBitsToFloat(var4);
    uint var5 = shared_memory[1u];
    while (true) {
        const uint t14 = var5;
        const uint t15 = atomicCompSwap(shared_memory[1u], t14, floatBitsToUint(max(uintBitsToFloat(t14), 2.0)));
        var5 = t15;
        if (t15 == t14) {
            break;
        }
    }
    uint64_t var6 = w_as_u64.data[gl_GlobalInvocationID.x];
    while (true) {
        const uint64_t t16 = var6;
        memoryBarrier();
        const uint64_t t17 = atomicCompSwap(w_as_u64.data[gl_GlobalInvocationID.x], t16, doubleBitsToUint64(max(uint64BitsToDouble(t16), 2.0lf)));
        memoryBarrier();
        var6 = t17;
        if (t17 == t16) {
            break;
        }
    }
    atomicXor(u.data[gl_GlobalInvocationID.x], 3ul);
    const int64_t t18 = atomicXor(i.data[gl_GlobalInvocationID.x], -3l);
    i.data[gl_GlobalInvocationID.x] = t18;
    atomicExchange(u.data[gl_GlobalInvocationID.x], 3ul);
    const int64_t t19 = atomicExchange(i.data[gl_GlobalInvocationID.x], -3l);
    i.data[gl_GlobalInvocationID.x] = t19;
    const float t20 = atomicExchange(f.data[gl_GlobalInvocationID.x], 2.0);
    f.data[gl_GlobalInvocationID.x] = t20;
    atomicExchange(shared_memory[1u], 1073741824u);
    memoryBarrier();
    atomicExchange(w.data[gl_GlobalInvocationID.x], 2.0lf);
    memoryBarrier();
    atomicCompSwap(u.data[gl_GlobalInvocationID.x], 1ul, 2ul);
    atomicAdd(s.data[gl_GlobalInvocationID.x].v[gl_GlobalInvocationID.x & 3u], -2.0);
    const uint t21 = gl_GlobalInvocationID.x * 6u + 5u;
    uint var7 = s_as_u32.data[t21];
    while (true) {
        const uint t22 = var7;
        const uint t23 = atomicCompSwap(s_as_u32.data[t21], t22, floatBitsToUint(max(uintBitsToFloat(t22), 2.0)));
        var7 = t23;
        if (t23 == t22) {
            break;
        }
    }
}
