// c = a + b, each thread in steps of the whole grid, 64-bit indices.
extern "C" __global__ void vadd64(const float* a, const float* b, float* c, long long n) {
#ifdef OVERFLOW
  long long i = blockIdx.x * blockDim.x + threadIdx.x;
#else
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
#endif
  for (; i < n; i += (long long)gridDim.x * blockDim.x) {
    c[i] = a[i] + b[i];
  }
}
