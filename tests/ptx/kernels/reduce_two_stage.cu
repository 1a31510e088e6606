// Sum of a vector, one result a block: each thread in grid steps, each warp by shuffles, then one warp over the warps.
extern "C" __global__ void reduce_two_stage(const float* in, float* out, int n) {
  __shared__ float s[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float v = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
  if (lane == 0) s[warp] = v;
#ifndef MISSING_BARRIER
  __syncthreads();
#endif
  if (warp == 0) {
#ifdef UNINITIALISED
    v = s[lane];
#else
    v = lane < blockDim.x / 32 ? s[lane] : 0.f;
#endif
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
    if (lane == 0) out[blockIdx.x] = v;
  }
}
