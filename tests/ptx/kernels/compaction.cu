// Keeps the positive elements, in no order: a place in the block by an atomic operation in shared memory, and the block's
// place by one in global memory.
extern "C" __global__ void compaction(const float* in, float* out, unsigned* count, int n) {
  __shared__ unsigned kept, base;
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  if (t == 0) kept = 0;
  __syncthreads();
  float v = i < n ? in[i] : 0.f;
  unsigned place = 0;
#ifdef PLAIN
  if (v > 0.f) place = kept++;
#else
  if (v > 0.f) place = atomicAdd(&kept, 1u);
#endif
  __syncthreads();
  if (t == 0) base = atomicAdd(count, kept);
  __syncthreads();
  unsigned long long at = (unsigned long long)base + place;
  if (v > 0.f && at < n) out[at] = v;
}
