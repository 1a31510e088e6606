// C = A B in tiles of 32 x 32, both tiles in one piece of dynamic shared memory, 32 x 8 threads with 4 rows each.
#define T 32
extern __shared__ float tiles[];
extern "C" __global__ void matmul_dynamic(const float* A, const float* B, float* C, int M, int N, int K) {
  float* a = tiles;
  float* b = tiles + T * T;
  int x = threadIdx.x, y = threadIdx.y;
  int col = blockIdx.x * T + x;
  float sum[4] = {0.f, 0.f, 0.f, 0.f};
  for (int k = 0; k < K; k += T) {
    for (int j = 0; j < 4; j++) {
      int row = blockIdx.y * T + y + 8 * j;
      a[(y + 8 * j) * T + x] = row < M && k + x < K ? A[(long long)row * K + k + x] : 0.f;
      b[(y + 8 * j) * T + x] = k + y + 8 * j < K && col < N ? B[(long long)(k + y + 8 * j) * N + col] : 0.f;
    }
    __syncthreads();
    for (int i = 0; i < T; i++)
      for (int j = 0; j < 4; j++) sum[j] += a[(y + 8 * j) * T + i] * b[i * T + x];
#ifndef MISSING_BACK_EDGE
    __syncthreads();
#endif
  }
  for (int j = 0; j < 4; j++) {
    int row = blockIdx.y * T + y + 8 * j;
    if (row < M && col < N) C[(long long)row * N + col] = sum[j];
  }
}
