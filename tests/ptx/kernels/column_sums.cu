// Sums of the columns of a matrix: a block of 64 threads owns as many columns, each thread goes down one.
extern "C" __global__ void column_sums(const float* in, float* out, int rows, int columns) {
  int c = blockIdx.x * 64 + threadIdx.x;
  if (c >= columns) return;
  float sum = 0.f;
  for (int r = 0; r < rows; r++) sum += in[(long long)r * columns + c];
  out[c] = sum;
}
