// 5 x 5 convolution of an image with zeros around it: 16 x 16 threads fill a tile of 20 x 20 in strides.
#define T 16
#define R 2
#define W (T + 2 * R)
__constant__ float weights[2 * R + 1][2 * R + 1];

extern "C" __global__ void convolution(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[W][W];
  int x = threadIdx.x, y = threadIdx.y;
  int left = blockIdx.x * T - R, top = blockIdx.y * T - R;
  for (int j = y; j < W; j += T)
    for (int i = x; i < W; i += T) {
      int r = top + j, c = left + i;
#ifdef OFF_BY_ONE
      bool there = r >= 0 && r < rows && c >= 0 && c <= columns;
#else
      bool there = r >= 0 && r < rows && c >= 0 && c < columns;
#endif
      tile[j][i] = there ? in[(long long)r * columns + c] : 0.f;
    }
  int row = top + R + y, column = left + R + x;
#ifdef EARLY_RETURN
  if (row >= rows || column >= columns) return;
#endif
#ifndef MISSING_BARRIER
  __syncthreads();
#endif
  float sum = 0.f;
  for (int j = 0; j <= 2 * R; j++)
    for (int i = 0; i <= 2 * R; i++) sum += weights[j][i] * tile[y + j][x + i];
  if (row < rows && column < columns) out[(long long)row * columns + column] = sum;
}
