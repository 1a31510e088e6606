// Specialised warps: two warps load 64 words a step into one of two stages, two others take them out, neighbours
// exchanged. Each stage has a named barrier for "full" (1, 2) and one for "empty" (3, 4); who waits syncs, who tells
// arrives. A block moves steps * 128 words.
template <int B>
__device__ void sync() {
  asm volatile("bar.sync %0, 128;" ::"n"(B) : "memory");
}
template <int B>
__device__ void arrive() {
  asm volatile("bar.arrive %0, 128;" ::"n"(B) : "memory");
}

extern "C" __global__ void __launch_bounds__(128) warp_copy(const unsigned* in, unsigned* out, int steps) {
  __shared__ unsigned stage[2][64];
  int t = threadIdx.x % 64;
  long long first = (long long)blockIdx.x * steps * 128;
  if (threadIdx.x < 64) {
#pragma unroll 1
    for (int s = 0; s < steps; s++) {
      sync<3>();
      stage[0][t] = in[first + s * 128LL + t];
      arrive<1>();
#ifndef ONE_EMPTY
      sync<4>();
#endif
      stage[1][t] = in[first + s * 128LL + 64 + t];
      arrive<2>();
    }
  } else {
    arrive<3>();
#ifndef ONE_EMPTY
    arrive<4>();
#endif
#pragma unroll 1
    for (int s = 0; s < steps; s++) {
      sync<1>();
      unsigned a = stage[0][t ^ 1];
      if (s + 1 < steps) arrive<3>();
      out[first + s * 128LL + t] = a;
#ifdef READS_EARLY
      unsigned b = stage[1][t ^ 1];
      sync<2>();
#else
      sync<2>();
      unsigned b = stage[1][t ^ 1];
#endif
#ifndef ONE_EMPTY
      if (s + 1 < steps) arrive<4>();
#endif
      out[first + s * 128LL + 64 + t] = b;
    }
  }
}
