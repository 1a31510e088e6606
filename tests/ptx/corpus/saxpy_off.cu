extern "C" __global__ void saxpy_off(int n, float alpha, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) y[i] = alpha * x[i] + y[i];
}
