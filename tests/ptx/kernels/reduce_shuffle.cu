// Sum of 32 elements a warp by shuffles alone, one result a warp.
extern "C" __global__ void reduce_shuffle(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef DIVERGENT
  if (i < n) {
    float v = in[i];
#else
  {
    float v = i < n ? in[i] : 0.f;
#endif
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0) out[i / 32] = v;
  }
}
