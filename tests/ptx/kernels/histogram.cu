// Counts of 256 byte values: one histogram a block in shared memory, then added to the one in global memory.
extern "C" __global__ void histogram(const unsigned char* in, unsigned* counts, int n) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
#ifndef MISSING_BARRIER
  __syncthreads();
#endif
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#ifdef PLAIN_ADD
    own[in[i]] += 1;
#else
    atomicAdd(&own[in[i]], 1u);
#endif
  }
  __syncthreads();
#ifdef BLOCK_SCOPE
  atomicAdd_block(&counts[threadIdx.x], own[threadIdx.x]);
#else
  atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
#endif
}
