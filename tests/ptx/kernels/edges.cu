// out = in + bias of the column in tiles of 64 x 64, 64 x 4 threads.
extern "C" __global__ void edges(const float* in, const float* bias, float* out, int S, int I) {
  int column = blockIdx.x * 64 + threadIdx.x;
  for (int j = threadIdx.y; j < 64; j += 4) {
    int row = blockIdx.y * 64 + j;
    long long at = (long long)row * I + column;
#ifdef ROWS_ONLY
    if (row < S) out[at] = (column < I ? in[at] + bias[column] : 0.f);
#else
    if (row < S && column < I) out[at] = in[at] + bias[column];
#endif
  }
}
