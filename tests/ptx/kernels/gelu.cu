// GELU of x + bias, a block a row: vectors of four, and the columns that are left over one by one.
__device__ float curve(float v) { return 0.5f * v * (1.f + tanhf(0.79788456f * (v + 0.044715f * v * v * v))); }

extern "C" __global__ void gelu(const float* x, const float* bias, float* y, int columns, int stride) {
  const float* from = x + (long long)blockIdx.x * stride;
  float* to = y + (long long)blockIdx.x * stride;
#ifdef ROUNDS_UP
  int vectors = (columns + 3) / 4;
#else
  int vectors = columns / 4;
#endif
  for (int i = threadIdx.x; i < vectors; i += 128) {
    float4 v = ((const float4*)from)[i], b = ((const float4*)bias)[i];
    ((float4*)to)[i] = make_float4(curve(v.x + b.x), curve(v.y + b.y), curve(v.z + b.z), curve(v.w + b.w));
  }
#ifdef TAIL_EARLY
  for (int c = vectors * 4 + (int)threadIdx.x - 1; c < columns; c += 128)
    if (c >= 0) to[c] = curve(from[c] + bias[c]);
#else
  for (int c = vectors * 4 + threadIdx.x; c < columns; c += 128) to[c] = curve(from[c] + bias[c]);
#endif
}
