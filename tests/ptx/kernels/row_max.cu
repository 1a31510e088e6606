// Maximum of each row: a block a row, of any power of two of threads, one float of dynamic shared memory a thread.
extern "C" __global__ void row_max(const float* in, float* out, int columns) {
  extern __shared__ float best[];
  int t = threadIdx.x;
  const float* row = in + (long long)blockIdx.x * columns;
  float top = -INFINITY;
  for (int c = t; c < columns; c += blockDim.x) top = fmaxf(top, row[c]);
  best[t] = top;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k >>= 1) {
#ifdef BY_LANE
    if (t < k) {
      best[t] = fmaxf(best[t], best[t + k]);
      __syncthreads();
    }
#else
    if (t < k) best[t] = fmaxf(best[t], best[t + k]);
    __syncthreads();
#endif
  }
  if (t == 0) out[blockIdx.x] = best[0];
}
