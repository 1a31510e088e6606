// Sums of the columns of `rows` x n halves in 8 parts, blockIdx.y: each part into a row of its own of a workspace in single
// precision, which another launch adds up in a fixed order.
#include <cuda_fp16.h>
extern "C" __global__ void split_sum(const __half* in, float* parts, __half* out, int rows, int n) {
  int c = blockIdx.x * 128 + threadIdx.x;
  if (c >= n) return;
  float sum = 0.f;
#pragma unroll 1
  for (int r = blockIdx.y; r < rows; r += 8) sum += __half2float(in[(long long)r * n + c]);
#ifdef IN_PLACE
  out[c] = __hadd(out[c], __float2half(sum));
#else
  parts[(long long)blockIdx.y * n + c] = sum;
#endif
}
