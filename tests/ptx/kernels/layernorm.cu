// Layer norm, a block of 256 threads for every gridDim.x-th row: mean and variance by shuffles and shared memory.
__device__ float total(float v, float* part) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
#ifndef MISSING_BARRIER
  __syncthreads();
#endif
  if (lane == 0) part[warp] = v;
  __syncthreads();
  v = 0.f;
  for (int w = 0; w < 8; w++) v += part[w];
  return v;
}

extern "C" __global__ void layernorm(const float* x, const float* weight, const float* bias, float* y, int rows,
                                     int columns, float eps) {
  __shared__ float part[8];
  for (long long r = blockIdx.x; r < rows; r += gridDim.x) {
    const float* from = x + r * columns;
    float sum = 0.f, squares = 0.f;
    for (int c = threadIdx.x; c < columns; c += 256) sum += from[c];
    float mean = total(sum, part) / columns;
    for (int c = threadIdx.x; c < columns; c += 256) squares += (from[c] - mean) * (from[c] - mean);
    float scale = rsqrtf(total(squares, part) / columns + eps);
#pragma unroll 1
#ifdef OFF_BY_ONE
    for (int c = threadIdx.x; c <= columns; c += 256) y[r * columns + c] = (from[c] - mean) * scale * weight[c] + bias[c];
#else
    for (int c = threadIdx.x; c < columns; c += 256) y[r * columns + c] = (from[c] - mean) * scale * weight[c] + bias[c];
#endif
  }
}
