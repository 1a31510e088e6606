// Counts of byte values; the block goes through its bins in steps of its size, whatever that is.
extern "C" __global__ void bins_strided(const unsigned char* in, unsigned* counts, int n) {
  __shared__ unsigned own[256];
#ifdef ONE_SHORT
  for (int b = threadIdx.x; b < 255; b += blockDim.x) own[b] = 0;
#elif defined(EVERY_OTHER)
  for (int b = threadIdx.x; b < 256; b += 2 * blockDim.x) own[b] = 0;
#else
  for (int b = threadIdx.x; b < 256; b += blockDim.x) own[b] = 0;
#endif
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&own[in[i]], 1u);
  }
#ifndef MISSING_BARRIER
  __syncthreads();
#endif
  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&counts[b], own[b]);
}
