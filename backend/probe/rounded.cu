// Correctly rounded operations against references that round exactly, in integers.
//
//     nvcc -ptx -arch=sm_89 rounded.cu -o rounded.ptx          (13.0; tests/backend/test_probe_rounded.py)
//
// The exact result is brought to 53 bits by rounding to odd: the nearest double, and where that is not exact and even
// its neighbour on the side of the error. A double with an odd last place lies on no tie of a format with 51 bits or
// fewer and on the same side of each as the exact result, so rounding it once more is rounding the exact result once.
// The errors of sum, product, quotient and root in double precision are doubles and are computed exactly (two-sum, fma).
//
// Kernel `rounded_NAME` tries n operands, thread t those with i = t, t + threads, ...: the words of i where 32 bits
// hold all operands of an operation, else words drawn from seed and i. It counts what is wrong and lists the first.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned short u16;

constexpr u32 CAPACITY = 64;

__device__ u64 bits(double x) { return (u64)__double_as_longlong(x); }
__device__ double from(u64 x) { return __longlong_as_double((long long)x); }

// Exact result s + e, |e| at most half a unit of s.
__device__ double odd(double s, double e) {
    if (e == 0 || bits(s) & 1 || !isfinite(s)) return s;
    return from((e > 0) == (s > 0) ? bits(s) + 1 : bits(s) - 1);
}

__device__ double sum(double a, double b) {
    const double s = __dadd_rn(a, b), v = __dadd_rn(s, -a);
    return odd(s, __dadd_rn(__dadd_rn(a, -__dadd_rn(s, -v)), __dadd_rn(b, -v)));
}

// To nearest, ties to even, of a format with FRACTION bits and least normal exponent LEAST; NaN is INFINITE + 1.
template <int FRACTION, int LEAST, u32 INFINITE> __device__ u32 nearest(double x) {
    const u64 word = bits(x) & 0x7fffffffffffffff;
    const u32 top = bits(x) >> 63 ? INFINITE + (1u << FRACTION) : 0;  // the sign
    if (word > 0x7ff0000000000000) return INFINITE + 1;
    if (word == 0x7ff0000000000000) return top | INFINITE;
    const int e = (int)(word >> 52) - 1023;
    if (e < LEAST - FRACTION - 1) return top;  // below half of the least subnormal; of doubles all subnormal ones
    const u64 m = (word & 0xfffffffffffff) | 0x10000000000000;
    const int shift = 52 - FRACTION + (e < LEAST ? LEAST - e : 0);
    const u64 half = 1ull << (shift - 1), rest = m & (2 * half - 1);
    u64 n = m >> shift;
    n += rest > half || (rest == half && (n & 1));
    n += e < LEAST ? 0 : (u64)(e - LEAST) << FRACTION;
    return top | (n >= INFINITE ? INFINITE : (u32)n);
}

__device__ u32 nearest32(double x) { return nearest<23, -126, 0x7f800000>(x); }
__device__ u32 nearest16(double x) { return nearest<10, -14, 0x7c00>(x); }
__device__ u32 nearest_bf16(double x) { return nearest<7, -126, 0x7f80>(x); }

__device__ float f32(u32 word) { return __uint_as_float(word); }

__device__ double wide(u32 half) {
    const u32 e = half >> 10 & 31, m = half & 1023;
    double x = e == 31 ? (m ? from(0x7ff8000000000000) : from(0x7ff0000000000000))
             : e ? (double)(1024 + m) * from((u64)(1023 + e - 25) << 52) : (double)m * from((u64)(1023 - 24) << 52);
    return half & 0x8000 ? -x : x;
}

struct Three { u32 a, b, c; };

// All words in another order, so that a few of them come from everywhere.
__device__ u32 spread(u64 i) { return (u32)i * 0x9e3779b1; }

__device__ u64 mixed(u64 x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

// A word of FRACTION and EXPONENT bits: everywhere, near the exponent of another, with few significant bits, so that
// ties are met, or at the ends of the exponents.
template <int FRACTION, int EXPONENT> __device__ u32 drawn(u64 h, u32 near) {
    constexpr u32 fields = (1u << EXPONENT) - 1, fraction = (1u << FRACTION) - 1;
    u32 word = (u32)h & (2 * (1u << (FRACTION + EXPONENT)) - 1);
    const u32 how = (u32)(h >> 60) & 3, kept = (u32)(h >> 52) & 31;
    if (h >> 62 & 1 && kept < FRACTION) word &= ~(fraction >> kept);
    if (h >> 63) word |= fraction >> (kept < FRACTION ? kept : FRACTION);
    int e = (int)(word >> FRACTION & fields);
    if (how == 1) e = (int)(near >> FRACTION & fields) + (int)(h >> 40 & 63) - 32;
    if (how == 2) e = (int)(near >> FRACTION & fields) + (int)(h >> 40 & 3) - 1;
    if (how == 3) e = h >> 40 & 1 ? (int)(h >> 41 & 3) : (int)fields - (int)(h >> 41 & 3);
    e = min(max(e, 0), (int)fields);
    return (word & ~(fields << FRACTION)) | (u32)e << FRACTION;
}

template <int FRACTION, int EXPONENT> __device__ Three random(u64 seed, u64 i) {
    const u64 h = mixed(seed + 3 * i * 0x9e3779b97f4a7c15), k = mixed(h + 0x9e3779b97f4a7c15);
    Three x;
    x.a = drawn<FRACTION, EXPONENT>(h & 0x4fffffffffffffff, 0);
    x.b = drawn<FRACTION, EXPONENT>(k, x.a);
    const u32 bias = ((1u << (EXPONENT - 1)) - 1) << FRACTION, size = (1u << (FRACTION + EXPONENT)) - 1;
    x.c = drawn<FRACTION, EXPONENT>(mixed(k + 0x9e3779b97f4a7c15), (x.a & size) + (x.b & size) - bias);  // as a product
    return x;
}

struct Add {
    static __device__ Three operands(u64 seed, u64 i) { return random<23, 8>(seed, i); }
    static __device__ u32 found(Three x) { return __float_as_uint(__fadd_rn(f32(x.a), f32(x.b))); }
    static __device__ u32 exact(Three x) { return nearest32(sum(f32(x.a), f32(x.b))); }
    static constexpr u32 infinite = 0x7f800000;
};

struct Sub : Add {
    static __device__ u32 found(Three x) {
        float y;
        asm("sub.rn.f32 %0, %1, %2;" : "=f"(y) : "f"(f32(x.a)), "f"(f32(x.b)));
        return __float_as_uint(y);
    }
    static __device__ u32 exact(Three x) { return nearest32(sum(f32(x.a), -(double)f32(x.b))); }
};

struct Mul : Add {
    static __device__ u32 found(Three x) { return __float_as_uint(__fmul_rn(f32(x.a), f32(x.b))); }
    static __device__ u32 exact(Three x) { return nearest32(__dmul_rn(f32(x.a), f32(x.b))); }
};

struct Fma : Add {
    static __device__ u32 found(Three x) { return __float_as_uint(__fmaf_rn(f32(x.a), f32(x.b), f32(x.c))); }
    static __device__ u32 exact(Three x) { return nearest32(sum(__dmul_rn(f32(x.a), f32(x.b)), f32(x.c))); }
};

struct Div : Add {
    static __device__ u32 found(Three x) { return __float_as_uint(__fdiv_rn(f32(x.a), f32(x.b))); }
    static __device__ u32 exact(Three x) {
        const double a = f32(x.a), b = f32(x.b), q = __ddiv_rn(a, b), rest = __fma_rn(-q, b, a);
        return nearest32(odd(q, isfinite(q) && b != 0 && !isinf(b) ? (b > 0 ? rest : -rest) : 0));
    }
};

struct Rcp : Add {
    static __device__ Three operands(u64 seed, u64 i) { return Three{0x3f800000, spread(i), 0}; }
    static __device__ u32 found(Three x) { return __float_as_uint(__frcp_rn(f32(x.b))); }
    static __device__ u32 exact(Three x) { return Div::exact(x); }
};

struct Sqrt : Add {
    static __device__ Three operands(u64 seed, u64 i) { return Three{spread(i), 0, 0}; }
    static __device__ u32 found(Three x) { return __float_as_uint(__fsqrt_rn(f32(x.a))); }
    static __device__ u32 exact(Three x) {
        const double a = f32(x.a), r = __dsqrt_rn(a);
        return nearest32(odd(r, isfinite(r) ? __fma_rn(-r, r, a) : 0));
    }
};

struct Narrow {  // cvt.rn.f16.f32
    static __device__ Three operands(u64 seed, u64 i) { return Three{spread(i), 0, 0}; }
    static __device__ u32 found(Three x) {
        u16 y;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(f32(x.a)));
        return y;
    }
    static __device__ u32 exact(Three x) { return nearest16(f32(x.a)); }
    static constexpr u32 infinite = 0x7c00;
};

struct NarrowBf16 : Narrow {
    static __device__ u32 found(Three x) {
        u16 y;
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(f32(x.a)));
        return y;
    }
    static __device__ u32 exact(Three x) { return nearest_bf16(f32(x.a)); }
    static constexpr u32 infinite = 0x7f80;
};

struct Widen : Sqrt {  // cvt.f32.f16, i below 2^16
    static __device__ Three operands(u64 seed, u64 i) { return Three{spread(i) & 0xffff, 0, 0}; }
    static __device__ u32 found(Three x) {
        float y;
        asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"((u16)x.a));
        return __float_as_uint(y);
    }
    static __device__ u32 exact(Three x) { return nearest32(wide(x.a)); }
};

struct FromSigned : Sqrt {
    static __device__ u32 found(Three x) { return __float_as_uint(__int2float_rn((int)x.a)); }
    static __device__ u32 exact(Three x) { return nearest32((double)(int)x.a); }
};

struct FromUnsigned : Sqrt {
    static __device__ u32 found(Three x) { return __float_as_uint(__uint2float_rn(x.a)); }
    static __device__ u32 exact(Three x) { return nearest32((double)x.a); }
};

struct Add16 {  // all pairs
    static __device__ Three operands(u64 seed, u64 i) { return Three{spread(i) & 0xffff, spread(i) >> 16, 0}; }
    static __device__ u32 found(Three x) {
        u16 y;
        asm("add.rn.f16 %0, %1, %2;" : "=h"(y) : "h"((u16)x.a), "h"((u16)x.b));
        return y;
    }
    static __device__ u32 exact(Three x) { return nearest16(__dadd_rn(wide(x.a), wide(x.b))); }  // the sum is exact
    static constexpr u32 infinite = 0x7c00;
};

struct Sub16 : Add16 {
    static __device__ u32 found(Three x) {
        u16 y;
        asm("sub.rn.f16 %0, %1, %2;" : "=h"(y) : "h"((u16)x.a), "h"((u16)x.b));
        return y;
    }
    static __device__ u32 exact(Three x) { return nearest16(__dadd_rn(wide(x.a), -wide(x.b))); }
};

struct Mul16 : Add16 {
    static __device__ u32 found(Three x) {
        u16 y;
        asm("mul.rn.f16 %0, %1, %2;" : "=h"(y) : "h"((u16)x.a), "h"((u16)x.b));
        return y;
    }
    static __device__ u32 exact(Three x) { return nearest16(__dmul_rn(wide(x.a), wide(x.b))); }
};

struct Fma16 : Add16 {
    static __device__ Three operands(u64 seed, u64 i) { return random<10, 5>(seed, i); }
    static __device__ u32 found(Three x) {
        u16 y;
        asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(y) : "h"((u16)x.a), "h"((u16)x.b), "h"((u16)x.c));
        return y;
    }
    static __device__ u32 exact(Three x) { return nearest16(sum(__dmul_rn(wide(x.a), wide(x.b)), wide(x.c))); }
};

template <class Op> __device__ void compare(u64 *wrong, u32 *listed, u64 seed, u64 n) {
    const u32 threads = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
    constexpr u32 size = Op::infinite | (Op::infinite - 1);  // all but the sign
    u64 count = 0;
    for (u64 i = t; i < n; i += threads) {
        const Three x = Op::operands(seed, i);
        const u32 found = Op::found(x), exact = Op::exact(x);
        if (found == exact || ((found & size) > Op::infinite && (exact & size) > Op::infinite)) continue;
        count += 1;
        const u32 slot = atomicAdd(listed, 1u);
        if (slot >= CAPACITY) continue;
        listed[1 + 5 * slot] = x.a;
        listed[2 + 5 * slot] = x.b;
        listed[3 + 5 * slot] = x.c;
        listed[4 + 5 * slot] = found;
        listed[5 + 5 * slot] = exact;
    }
    if (count) atomicAdd(wrong, count);
}

#define KERNEL(NAME, OP)                                                                                               \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
    rounded_##NAME(u64 *wrong, u32 *listed, u64 seed, u64 n, u32 blocks)                                               \
    {                                                                                                                  \
        compare<OP>(wrong, listed, seed, n);                                                                           \
    }

KERNEL(add, Add)
KERNEL(sub, Sub)
KERNEL(mul, Mul)
KERNEL(fma, Fma)
KERNEL(div, Div)
KERNEL(rcp, Rcp)
KERNEL(sqrt, Sqrt)
KERNEL(narrow, Narrow)
KERNEL(narrow_bf16, NarrowBf16)
KERNEL(widen, Widen)
KERNEL(from_signed, FromSigned)
KERNEL(from_unsigned, FromUnsigned)
KERNEL(add16, Add16)
KERNEL(sub16, Sub16)
KERNEL(mul16, Mul16)
KERNEL(fma16, Fma16)
