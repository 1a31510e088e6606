// Softmax of each row, one block a row: maximum, sum of exponentials, quotient; 256 threads, any number of columns.
__device__ float fold(float v, bool largest, float* s) {
  int t = threadIdx.x;
  s[t] = v;
  __syncthreads();
  for (int k = 128; k > 0; k >>= 1) {
    if (t < k) s[t] = largest ? fmaxf(s[t], s[t + k]) : s[t] + s[t + k];
    __syncthreads();
  }
  float all = s[0];
#ifndef MISSING_BARRIER
  __syncthreads();
#endif
  return all;
}

extern "C" __global__ void softmax(const float* in, float* out, int columns, long long in_stride,
                                   long long out_stride) {
  __shared__ float s[256];
  const float* x = in + blockIdx.x * in_stride;
  float* y = out + blockIdx.x * out_stride;
  float top = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += 256) top = fmaxf(top, x[i]);
  top = fold(top, true, s);
  float sum = 0.f;
  for (int i = threadIdx.x; i < columns; i += 256) sum += expf(x[i] - top);
  sum = fold(sum, false, s);
#ifdef OFF_BY_ONE
  for (int i = threadIdx.x; i <= columns; i += 256) y[i] = expf(x[i] - top) / sum;
#else
  for (int i = threadIdx.x; i < columns; i += 256) y[i] = expf(x[i] - top) / sum;
#endif
}
