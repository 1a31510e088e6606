// Attention of one new token of one sequence: a block a head, 64 threads; keys and values of 64 floats a head in pages of
// 16 positions that a table names. Of the table only the entries of pages that the sequence has are page numbers.
extern "C" __global__ void decode(const float* q, const float* keys, const float* values, const int* table, float* out,
                                  int length, int pages, int entries) {
  __shared__ float score[64];
  int t = threadIdx.x, column = blockIdx.x * 64;
  long long width = gridDim.x * 64LL;
  float top = -INFINITY, sum = 0.f, value = 0.f;
#pragma unroll 1
  for (int first = 0; first < length; first += 64) {
    int p = first + t;
    float mine = -INFINITY;
#ifdef TABLE_UNGUARDED
    long long row = table[p / 16] * 16LL + p % 16;
    float dot = 0.f;
    for (int i = 0; i < 64; i++) dot += q[column + i] * keys[row * width + column + i];
    if (p < length) mine = dot;
#else
    if (p < length) {
      long long row = table[p / 16] * 16LL + p % 16;
      float dot = 0.f;
      for (int i = 0; i < 64; i++) dot += q[column + i] * keys[row * width + column + i];
      mine = dot;
    }
#endif
    score[t] = mine;
    __syncthreads();
    float best = top;
    for (int j = 0; j < 64; j++) best = fmaxf(best, score[j]);
    float scale = expf(top - best);
    sum *= scale;
    value *= scale;
    top = best;
#pragma unroll 1
    for (int j = 0; j < 64; j++) {
      float w = expf(score[j] - top);
      sum += w;
#ifdef STALE_VALUES
      value += w * values[(table[(first + j) / 16] * 16LL + j % 16) * width + column + t];
#else
      if (first + j < length) value += w * values[(table[(first + j) / 16] * 16LL + j % 16) * width + column + t];
#endif
    }
    __syncthreads();
  }
  out[column + t] = value / sum;
}
