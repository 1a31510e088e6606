// out = in transposed, by tiles of 32 x 32 whose rows are 33 long (no bank conflicts), 32 x 8 threads.
extern "C" __global__ void transpose(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < columns && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(long long)(y + j) * columns + x];
#ifndef MISSING_BARRIER
  __syncthreads();
#endif
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
#ifdef SWAPPED
  for (int j = 0; j < 32; j += 8)
    if (x < columns && y + j < rows) out[(long long)(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
#else
  for (int j = 0; j < 32; j += 8)
    if (x < rows && y + j < columns) out[(long long)(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
#endif
}
