// Sums tiles of 128, read backwards, through a ring of STAGES tiles in shared memory; the compiler unrolls the loop by
// four, with what is left over behind it.
#ifndef STAGES
#define STAGES 3
#endif
extern "C" __global__ void staged(const float* x, float* y, int tiles) {
  __shared__ float ring[STAGES][128];
  int t = threadIdx.x;
#ifndef MISSING_PROLOGUE
  ring[0][t] = x[t];
#endif
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles) ring[(k + 1) % STAGES][t] = x[(k + 1) * 128 + t];
    sum += ring[k % STAGES][127 - t];
#ifndef MISSING_BARRIER
    __syncthreads();
#endif
  }
  y[t] = sum;
}
