// One token a block: 14 experts' scores in dynamic shared memory, behind them the token's vector, read four at a time.
// Its share of every expert is written. `hidden` is a multiple of 8.
#define EXPERTS 14
#ifdef UNPADDED
#define BEFORE EXPERTS
#else
#define BEFORE ((EXPERTS + 3) / 4 * 4)
#endif
extern "C" __global__ void routing(const float* x, const float* weights, float* out, int hidden) {
  extern __shared__ __align__(16) float shared[];
  float* scores = shared;
  float* token = shared + BEFORE;
#ifdef ONE_SHORT
  int filled = hidden - 1;
#else
  int filled = hidden;
#endif
#pragma unroll 1
  for (int i = threadIdx.x; i < filled; i += 128) token[i] = x[(long long)blockIdx.x * hidden + i];
  __syncthreads();
  int e = threadIdx.x;
  if (e < EXPERTS) {
    float sum = 0.f;
#pragma unroll 1
    for (int i = 0; i < hidden / 4; i++) {
      float4 t = ((const float4*)token)[i], w = ((const float4*)(weights + (long long)e * hidden))[i];
      sum += t.x * w.x + t.y * w.y + t.z * w.z + t.w * w.w;
    }
    scores[e] = sum;
  }
  __syncthreads();
  if (e < EXPERTS) {
    float all = 0.f;
    for (int i = 0; i < EXPERTS; i++) all += scores[i];
    out[(long long)blockIdx.x * EXPERTS + e] = scores[e] / all;
  }
}
