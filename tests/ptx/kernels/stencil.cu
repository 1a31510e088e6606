// Mean of the four neighbours, the border repeated outwards; 16 x 16 threads, a tile with a halo of one.
extern "C" __global__ void stencil(const float* in, float* out, int rows, int columns) {
  __shared__ float s[18][18];
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  int cx = min(x, columns - 1), cy = min(y, rows - 1);
  s[ty][tx] = in[(long long)cy * columns + cx];
  if (threadIdx.x == 0) s[ty][0] = in[(long long)cy * columns + max(x - 1, 0)];
#ifndef HALO_MISSING
  if (threadIdx.x == 15) s[ty][17] = in[(long long)cy * columns + min(x + 1, columns - 1)];
#endif
#ifdef OFF_BY_ONE
  if (threadIdx.y == 0) s[0][tx] = in[(long long)(y - 1) * columns + cx];
#else
  if (threadIdx.y == 0) s[0][tx] = in[(long long)max(y - 1, 0) * columns + cx];
#endif
  if (threadIdx.y == 15) s[17][tx] = in[(long long)min(y + 1, rows - 1) * columns + cx];
#ifndef MISSING_BARRIER
  __syncthreads();
#endif
  if (x < columns && y < rows)
    out[(long long)y * columns + x] = 0.25f * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx]);
}
