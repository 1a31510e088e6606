// Approximate instructions against a reference in double precision, over an arithmetic progression of binary32 words.
//
//     nvcc -ptx -arch=sm_89 sweep.cu -o sweep.ptx          (13.0; tests/backend/test_probe_sweeps.py)
//
// One kernel `sweep_NAME` for each instruction: thread t takes the words first + i * step (mod 2^32) with i = t,
// t + threads, ... below n, and leaves its worst results and where they are. `sample_NAME` writes result and reference
// of given words, so that the reference itself can be checked.
//
// A reference is within 2^-48 of the exact value, relative: 2^-24 units in the last place of binary32 (checked on
// samples wherever a sweep runs). What comes near the limit, or goes beyond, is listed and decided exactly elsewhere.

typedef unsigned int u32;
typedef unsigned long long u64;

constexpr double NEARLY = 1 - 0x1p-20;  // from this part of the limit on a result is listed
constexpr u32 CAPACITY = 1u << 16;      // of the list
constexpr double LOG2E = 0x1.71547652b82fep+0, LN2 = 0x1.62e42fefa39efp-1;
constexpr double INF = __builtin_huge_val();

__device__ double power(int k) { return __longlong_as_double((long long)(k + 1023) << 52); }

__device__ int exponent(double r) { return (int)((__double_as_longlong(r) >> 52) & 2047) - 1023; }

// 2^x: the series of e^t with |t| <= ln 2 / 2; the first term left out is below 2^-63.
__device__ double exp2_of(double x) {
    if (x >= 1000) return INF;
    if (x <= -1000) return 0;
    const double whole = rint(x), t = (x - whole) * LN2;
    double sum = 1.0 / 87178291200.0;  // 1 / 14!
    sum = fma(sum, t, 1.0 / 6227020800.0);
    sum = fma(sum, t, 1.0 / 479001600.0);
    sum = fma(sum, t, 1.0 / 39916800.0);
    sum = fma(sum, t, 1.0 / 3628800.0);
    sum = fma(sum, t, 1.0 / 362880.0);
    sum = fma(sum, t, 1.0 / 40320.0);
    sum = fma(sum, t, 1.0 / 5040.0);
    sum = fma(sum, t, 1.0 / 720.0);
    sum = fma(sum, t, 1.0 / 120.0);
    sum = fma(sum, t, 1.0 / 24.0);
    sum = fma(sum, t, 1.0 / 6.0);
    sum = fma(sum, t, 0.5);
    sum = fma(sum, t, 1.0);
    sum = fma(sum, t, 1.0);
    return sum * power((int)whole);
}

// log2 x for a positive binary32 x: k + 2 atanh(s) / ln 2, s = (m - 1) / (m + 1), m in [0.70, 1.41). m - 1 and m + 1
// are exact, so nothing is lost near 1; |s| < 0.1716, and the first term left out is below 2^-60 of the first.
__device__ double log2_of(double x) {
    int k = exponent(x);
    double m = x * power(-k);
    if (m > 1.41) {
        m *= 0.5;
        k += 1;
    }
    const double s = (m - 1) / (m + 1), q = s * s;
    double sum = 1.0 / 23;
    sum = fma(sum, q, 1.0 / 21);
    sum = fma(sum, q, 1.0 / 19);
    sum = fma(sum, q, 1.0 / 17);
    sum = fma(sum, q, 1.0 / 15);
    sum = fma(sum, q, 1.0 / 13);
    sum = fma(sum, q, 1.0 / 11);
    sum = fma(sum, q, 1.0 / 9);
    sum = fma(sum, q, 1.0 / 7);
    sum = fma(sum, q, 1.0 / 5);
    sum = fma(sum, q, 1.0 / 3);
    const double rest = fma(s * q, sum, s);  // atanh(s)
    return (double)k + rest * (2 * LOG2E);
}

// tanh x = 1 - 2 / (e^2x + 1), and its series where that loses digits.
__device__ double tanh_of(double x) {
    const double a = fabs(x);
    if (a == 0) return x;
    if (a < 0.0625) {
        const double q = x * x;
        double sum = -1382.0 / 155925;
        sum = fma(sum, q, 62.0 / 2835);
        sum = fma(sum, q, -17.0 / 315);
        sum = fma(sum, q, 2.0 / 15);
        sum = fma(sum, q, -1.0 / 3);
        return fma(x * q, sum, x);
    }
    const double r = a > 64 ? 1.0 : 1 - 2 / (exp2_of(2 * a * LOG2E) + 1);
    return copysign(r, x);
}

// What the documentation says: the value, and how far a result may be from it. A unit is one in the last place of the
// correctly rounded result.
template <bool FTZ> struct Ex2 {
    static constexpr bool flushes = FTZ;
    static __device__ float result(float x) {
        float y;
        if (FTZ) asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
        else asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
        return y;
    }
    static __device__ double value(double x) { return exp2_of(x); }
    static __device__ double limit(double x, double r, double unit) { return x == 0 ? 0 : 2.5 * unit; }
};

template <bool FTZ> struct Rcp {
    static constexpr bool flushes = FTZ;
    static __device__ float result(float x) {
        float y;
        if (FTZ) asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
        else asm("rcp.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
        return y;
    }
    static __device__ double value(double x) { return 1 / x; }
    static __device__ double limit(double x, double r, double unit) { return 1.5 * unit; }
};

template <bool FTZ> struct Rsqrt {
    static constexpr bool flushes = FTZ;
    static __device__ float result(float x) {
        float y;
        if (FTZ) asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
        else asm("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
        return y;
    }
    static __device__ double value(double x) { return 1 / sqrt(x); }
    static __device__ double limit(double x, double r, double unit) { return 0x1.125fbee2506p-23 * fabs(r); }  // 2^-22.9
};

template <bool FTZ> struct Lg2 {
    static constexpr bool flushes = FTZ;
    static __device__ float result(float x) {
        float y;
        if (FTZ) asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
        else asm("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
        return y;
    }
    static __device__ double value(double x) {
        if (x == 0) return -INF;
        return x < 0 ? INF - INF : x == INF ? INF : log2_of(x);
    }
    static __device__ double limit(double x, double r, double unit) {
        return x > 0.5 && x < 2 ? 0x1p-22 : 0x1p-22 * fabs(r);
    }
};

template <bool FTZ> struct Sqrt {
    static constexpr bool flushes = FTZ;
    static __device__ float result(float x) {
        float y;
        if (FTZ) asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
        else asm("sqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
        return y;
    }
    static __device__ double value(double x) { return sqrt(x); }
    static __device__ double limit(double x, double r, double unit) { return 0x1p-23 * fabs(r); }
};

struct Tanh {
    static constexpr bool flushes = false;
    static __device__ float result(float x) {
        float y;
        asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
        return y;
    }
    static __device__ double value(double x) { return tanh_of(x); }
    static __device__ double limit(double x, double r, double unit) { return 0x1p-11 * fabs(r); }
};

// 0 NaN, 1 -Inf, 2 -normal, 3 -subnormal, 4 -0, 5 +0, 6 +subnormal, 7 +normal, 8 +Inf.
__device__ int kind(u32 word) {
    const u32 m = word & 0x7fffffff;
    if (m > 0x7f800000) return 0;
    const int size = m == 0x7f800000 ? 3 : m >= 0x00800000 ? 2 : m != 0;
    return word >> 31 ? 4 - size : 5 + size;
}

__device__ u32 flushed(u32 word) { return word & 0x7f800000 ? word : word & 0x80000000; }

template <class Op> __device__ double reference(u32 word) {
    if ((word & 0x7fffffff) > 0x7f800000) return INF - INF;
    return Op::value((double)__uint_as_float(Op::flushes ? flushed(word) : word));
}

template <class Op>
__device__ void sweep(double *worst, u32 *at, u64 *counts, u64 *steps, u32 *listed, u32 first, u32 step, u64 n) {
    const u32 threads = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
    double most[3] = {0, 0, 0};  // in units in the last place, relative, of the limit
    u32 place[3] = {0, 0, 0};
    u64 apart[4] = {0, 0, 0, 0};  // by how many words from the correctly rounded one; the last is 3 or more
    int seen = 0;
    u64 run = 0;
    for (u64 i = t; i < n; i += threads) {
        const u32 word = first + (u32)i * step;
        const double r = reference<Op>(word);
        const float y = Op::result(__uint_as_float(word));
        u32 want = __float_as_uint((float)r);
        if (Op::flushes) want = flushed(want);
        const u32 got = __float_as_uint(y);
        const int expected = kind(want), found = kind(got), both = 9 * expected + found;
        if (both != seen) {
            atomicAdd(counts + seen, run);
            seen = both;
            run = 0;
        }
        run += 1;
        bool list = expected != found;
        if (!list && expected != 0 && expected != 1 && expected != 4 && expected != 5 && expected != 8) {
            const double x = (double)__uint_as_float(Op::flushes ? flushed(word) : word);
            const double unit = power(max(exponent((double)(float)r), -126) - 23), error = fabs((double)y - r);
            const double limit = Op::limit(x, r, unit);
            const double relative = want & 0x7f800000 ? error / fabs(r) : 0;  // of normal results
            const double size[3] = {error / unit, relative, limit > 0 ? error / limit : error > 0 ? INF : 0};
#pragma unroll
            for (int k = 0; k < 3; ++k)
                if (size[k] > most[k]) {
                    most[k] = size[k];
                    place[k] = word;
                }
            const u32 distance = got > want ? got - want : want - got;
#pragma unroll
            for (int k = 0; k < 3; ++k) apart[k] += distance == k;
            apart[3] += distance > 2;
            list = error > limit * NEARLY;
        }
        if (list) {
            const u32 slot = atomicAdd(listed, 1u);
            if (slot < CAPACITY) listed[1 + slot] = word;
        }
    }
    atomicAdd(counts + seen, run);
    for (int k = 0; k < 4; ++k) atomicAdd(steps + k, apart[k]);
    for (int k = 0; k < 3; ++k) {
        worst[3 * t + k] = most[k];
        at[3 * t + k] = place[k];
    }
}

template <class Op> __device__ void sample(const u32 *words, u32 *results, double *references, u32 n) {
    const u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    references[t] = reference<Op>(words[t]);
    results[t] = __float_as_uint(Op::result(__uint_as_float(words[t])));
}

#define KERNELS(NAME, OP)                                                                                              \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
    sweep_##NAME(double *worst, u32 *at, u64 *counts, u64 *steps, u32 *listed, u32 first, u32 step, u64 n, u32 blocks) \
    {                                                                                                                  \
        sweep<OP>(worst, at, counts, steps, listed, first, step, n);                                                   \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
    sample_##NAME(const u32 *words, u32 *results, double *references, u32 n)                                           \
    {                                                                                                                  \
        sample<OP>(words, results, references, n);                                                                     \
    }

KERNELS(ex2, Ex2<false>)
KERNELS(ex2_ftz, Ex2<true>)
KERNELS(rcp, Rcp<false>)
KERNELS(rcp_ftz, Rcp<true>)
KERNELS(rsqrt, Rsqrt<false>)
KERNELS(rsqrt_ftz, Rsqrt<true>)
KERNELS(lg2, Lg2<false>)
KERNELS(lg2_ftz, Lg2<true>)
KERNELS(sqrt, Sqrt<false>)
KERNELS(sqrt_ftz, Sqrt<true>)
KERNELS(tanh, Tanh)
