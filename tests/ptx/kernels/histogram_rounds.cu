// Histograms of the rows of a matrix of bytes, one after the other in the same shared bins; a block has every
// gridDim.x-th row.
extern "C" __global__ void histogram_rounds(const unsigned char* in, unsigned* out, int rows, int columns) {
  __shared__ unsigned bins[256];
  int t = threadIdx.x;
#pragma unroll 1
  for (long long r = blockIdx.x; r < rows; r += gridDim.x) {
    bins[255 - t] = 0;
    __syncthreads();
#pragma unroll 1
    for (int c = t; c < columns; c += 256) atomicAdd(&bins[in[r * columns + c]], 1u);
    __syncthreads();
    out[r * 256 + t] = bins[t];
#ifndef MISSING_BACK_EDGE
    __syncthreads();
#endif
  }
}
