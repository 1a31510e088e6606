// Dropout: whether an element is kept is drawn by Philox-4x32-10 (Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3"), from its place and a seed. What wraps in there reaches only what is stored.
__device__ inline unsigned drawn(unsigned place, unsigned low, unsigned high) {
  unsigned x = place, y = 0, z = 0, w = 0;
#pragma unroll
  for (int round = 0; round < 10; round++) {
    unsigned a = __umulhi(0xD2511F53u, x), b = __umulhi(0xCD9E8D57u, z);
    unsigned c = 0xCD9E8D57u * z, d = 0xD2511F53u * x;
    x = b ^ y ^ low, y = c, z = a ^ w ^ high, w = d;
    low += 0x9E3779B9u, high += 0xBB67AE85u;
  }
  return x;
}

extern "C" __global__ void dropout(const float* x, float* y, int n, float keep, float scale, unsigned low, unsigned high) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef OFF_BY_ONE
  if (i > n) return;
#else
  if (i >= n) return;
#endif
  float value = x[i] * scale;
  unsigned number = drawn(i, low, high);
  bool kept = number * 2.3283064e-10f < keep;
#ifdef STORES_WHAT_IS_KEPT
  if (kept) y[i] = value;
#elif defined(DRAWS_AN_INDEX)
  y[i] = x[number % n] * scale;
#else
  y[i] = kept ? value : 0.0f;
#endif
}
