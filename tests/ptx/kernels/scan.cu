// Inclusive prefix sums within blocks of 256, doubling distances, in two rows of shared memory used in turn.
extern "C" __global__ void scan(const float* in, float* out, int n) {
  __shared__ float s[2][256];
  int t = threadIdx.x, from = 0;
  int i = blockIdx.x * 256 + t;
  s[0][t] = i < n ? in[i] : 0.f;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
#ifdef ONE_ROW
    s[0][t] = t >= d ? s[0][t] + s[0][t - d] : s[0][t];
#else
    s[1 - from][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
    from = 1 - from;
#endif
    __syncthreads();
  }
  if (i < n) out[i] = s[from][t];
}
