// C = A B in tiles of 32 x 32 that asynchronous copies fill STAGES - 1 steps ahead; 8 x 32 threads, each copies four
// elements of a row and computes four. N and K are multiples of 4, so that a chunk of 16 bytes is there or not.
#ifndef STAGES
#define STAGES 2
#endif
#define T 32

__device__ void copy(float* to, const float* from, bool there) {
  unsigned at = (unsigned)__cvta_generic_to_shared(to);
  int bytes = there ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(bytes) : "memory");
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int N>
__device__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

extern "C" __global__ void matmul_async(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) float a[STAGES][T][T], b[STAGES][T][T];
  int x = threadIdx.x * 4, y = threadIdx.y;
  int row = blockIdx.y * T + y, column = blockIdx.x * T + x;
  int steps = (K + T - 1) / T;

  auto fetch = [&](int step, int stage) {
    int k = step * T;
    bool of_a = step < steps && row < M && k + x < K, of_b = step < steps && k + y < K && column < N;
    copy(&a[stage][y][x], of_a ? A + (long long)row * K + k + x : A, of_a);
    copy(&b[stage][y][x], of_b ? B + (long long)(k + y) * N + column : B, of_b);
  };

  float sum[4] = {};
  for (int s = 0; s < STAGES - 1; s++) {
    fetch(s, s);
    commit();
  }
  int stage = 0, into = STAGES - 1;
#pragma unroll 1
  for (int step = 0; step < steps; step++) {
#ifdef COMMIT_LATE
    fetch(step + STAGES - 1, into);
    wait<STAGES - 1>();
    commit();
#elif defined(WAIT_TOO_LAX)
    fetch(step + STAGES - 1, into);
    commit();
    wait<STAGES>();
#else
    fetch(step + STAGES - 1, into);
    commit();
    wait<STAGES - 1>();
#endif
#ifndef MISSING_BARRIER
    __syncthreads();
#endif
    for (int i = 0; i < T; i++)
      for (int j = 0; j < 4; j++) sum[j] += a[stage][y][i] * b[stage][i][x + j];
#ifndef MISSING_BACK_EDGE
    __syncthreads();
#endif
    stage = stage + 1 == STAGES ? 0 : stage + 1;
    into = into + 1 == STAGES ? 0 : into + 1;
  }
  wait<0>();
  for (int j = 0; j < 4; j++)
    if (row < M && column + j < N) C[(long long)row * N + column + j] = sum[j];
}
