// c = a + b, each thread in steps of the whole grid, 32-bit indices.
extern "C" __global__ void vadd32(const float* a, const float* b, float* c, int n) {
  int step = gridDim.x * blockDim.x;
#ifdef OFF_BY_ONE
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += step) {
#else
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
#endif
    c[i] = a[i] + b[i];
  }
}
