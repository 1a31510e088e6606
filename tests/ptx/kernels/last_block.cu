// Sum of n elements in one launch: each block leaves its part, and the block that takes the last ticket adds up all parts.
extern "C" __global__ void last_block(const float* in, float* parts, unsigned* tickets, float* out, int n) {
  __shared__ float warps[8];
  __shared__ bool last;
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  float sum = i < n ? in[i] : 0.f;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (t % 32 == 0) warps[t / 32] = sum;
  __syncthreads();
  if (t == 0) {
    for (int w = 1; w < 8; w++) sum += warps[w];
    parts[blockIdx.x] = sum;
#ifndef MISSING_FENCE
    __threadfence();
#endif
    last = atomicAdd(tickets, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    sum = 0.f;
#pragma unroll 1
    for (int b = 0; b < gridDim.x; b++) sum += ((volatile float*)parts)[b];
    *out = sum;
  }
}
