// Sum of 256 elements a block, halving in shared memory.
extern "C" __global__ void reduce_tree(const float* in, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
#if defined(EARLY_RETURN)
  if (i >= n) return;
  s[t] = in[i];
#elif defined(UNINITIALISED)
  if (i < n) s[t] = in[i];
#else
  s[t] = i < n ? in[i] : 0.f;
#endif
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
#ifndef MISSING_BARRIER
    __syncthreads();
#endif
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
