// out = 2 in by stages of 256 elements: each thread copies asynchronously into a ring of two stages, ahead of its use,
// and reads what its neighbour copied.
__device__ void fetch(float* to, const float* from, bool there) {
  unsigned at = (unsigned)__cvta_generic_to_shared(to);
  int bytes = there ? 4 : 0;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(from), "r"(bytes) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
}

extern "C" __global__ void pipeline(const float* in, float* out, int n, int stages) {
  __shared__ float ring[2][256];
  int t = threadIdx.x;
  long long first = (long long)blockIdx.x * stages * 256 + t;
  fetch(&ring[0][t], first < n ? in + first : in, first < n);
  for (int s = 0; s < stages; s++) {
    long long i = first + (long long)s * 256, next = i + 256;
#ifdef STAGE_TOO_EARLY
    int into = s % 2;
#else
    int into = (s + 1) % 2;
#endif
    fetch(&ring[into][t], s + 1 < stages && next < n ? in + next : in, s + 1 < stages && next < n);
#ifdef WAIT_TOO_LAX
    asm volatile("cp.async.wait_group 2;" ::: "memory");
#else
    asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
    __syncthreads();
    if (i < n) out[i] = 2.f * ring[s % 2][t ^ 1];
#ifndef MISSING_BACK_EDGE
    __syncthreads();
#endif
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
}
