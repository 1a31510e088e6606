// Puts the parts of a split sequence together: o = sum of part * exp(lse - top) / sum of exp(lse - top), one block a
// sequence, one thread a column of 128. A sequence without a token gets zeros.
extern "C" __global__ void combine(const float* part, const float* lse, const int* lengths, float* out, float* all,
                                   int splits, long long stride) {
  int s = blockIdx.x, d = threadIdx.x;
#ifdef SKIPS_EMPTY
  if (lengths[s] == 0) return;
#endif
  float top = -INFINITY, sum = 0.f, value = 0.f;
  if (lengths[s] > 0) {
    for (int p = 0; p < splits; p++) top = fmaxf(top, lse[(long long)s * splits + p]);
    for (int p = 0; p < splits; p++) {
      float w = expf(lse[(long long)s * splits + p] - top);
      sum += w;
      value += w * part[((long long)s * splits + p) * 128 + d];
    }
    value /= sum;
  }
  out[s * stride + d] = value;
  if (d == 0) all[s] = top + logf(sum);
}
