// C = A B in tiles of 16 x 16, M, N, K and all strides free, tiles in static shared memory.
#define T 16
extern "C" __global__ void matmul_static(const float* A, const float* B, float* C, int M, int N, int K, int lda,
                                         int ldb, int ldc) {
  __shared__ float a[T][T], b[T][T];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * T + y, col = blockIdx.x * T + x;
  float sum = 0.f;
  for (int k = 0; k < K; k += T) {
#ifdef OVERFLOW
    a[y][x] = row < M && k + x < K ? A[row * lda + k + x] : 0.f;
#else
    a[y][x] = row < M && k + x < K ? A[(long long)row * lda + k + x] : 0.f;
#endif
#ifdef OVERHANG
    b[y][x] = k + y < K ? B[(long long)(k + y) * ldb + col] : 0.f;
#else
    b[y][x] = k + y < K && col < N ? B[(long long)(k + y) * ldb + col] : 0.f;
#endif
#ifndef MISSING_BARRIER
    __syncthreads();
#endif
    for (int i = 0; i < T; i++) sum += a[y][i] * b[i][x];
#ifndef MISSING_BACK_EDGE
    __syncthreads();
#endif
  }
  if (row < M && col < N) C[(long long)row * ldc + col] = sum;
}
