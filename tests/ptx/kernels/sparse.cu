// y = A x for a sparse matrix in compressed rows, a warp a row, 4 rows a block: the entries of row r are those from
// start[r] to start[r + 1].
extern "C" __global__ void sparse(const int* start, const int* column, const float* value, const float* x, float* y,
                                  int rows, int columns, int entries) {
  int lane = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
#ifdef OFF_BY_ONE
  if (row > rows) return;
#else
  if (row >= rows) return;
#endif
  float sum = 0.f;
#ifdef ONE_TOO_MANY
  for (int k = start[row] + lane; k <= start[row + 1]; k += 32) sum += value[k] * x[column[k]];
#else
  for (int k = start[row] + lane; k < start[row + 1]; k += 32) sum += value[k] * x[column[k]];
#endif
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) y[row] = sum;
}
