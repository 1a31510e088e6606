// Norms of pairs of rows: 32 x 2 threads, those with threadIdx.y = 0 have the even row, the others the odd one; the even
// row's norm is divided by that of the odd one.
extern "C" __global__ void row_norms(const float* in, float* out, int columns) {
  __shared__ float part[2][32];
  int x = threadIdx.x, y = threadIdx.y;
  const float* row = in + (blockIdx.x * 2LL + y) * columns;
  float sum = 0.f;
  for (int c = x; c < columns; c += 32) sum += row[c] * row[c];
  part[y][x] = sum;
#ifdef IN_A_BRANCH
  if (y % 2 == 0) {
    __syncthreads();
    for (int i = 1; i < 32; i++) sum += part[0][(x + i) % 32];
  }
  __syncthreads();
#else
  __syncthreads();
  if (y % 2 == 0)
    for (int i = 1; i < 32; i++) sum += part[0][(x + i) % 32];
#endif
  if (y % 2 == 0 && x == 0) {
    float other = 0.f;
    for (int i = 0; i < 32; i++) other += part[1][i];
    out[blockIdx.x] = sqrtf(sum / other);
  }
}
