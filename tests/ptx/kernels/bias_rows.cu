// out = in + bias, half precision: a block a row; `row_bias` has a row for each, `stride` elements apart, and is copied
// asynchronously into shared memory, 8 elements at a time.
#include <cuda_fp16.h>
#define MOST 1024
extern "C" __global__ void bias_rows(const __half* in, const __half* row_bias, __half* out, int columns, int stride) {
  __shared__ __align__(16) __half bias[MOST];
  const __half* from = row_bias + (long long)blockIdx.x * stride;
  int i = threadIdx.x * 8;
  if (i < columns) {
    unsigned at = (unsigned)__cvta_generic_to_shared(&bias[i]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from + i) : "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  for (int c = threadIdx.x; c < columns; c += 128) {
    long long at = (long long)blockIdx.x * columns + c;
    out[at] = __hadd(in[at], bias[c]);
  }
}
