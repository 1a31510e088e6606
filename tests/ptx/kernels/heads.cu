// Turns [tokens, heads, width] into [heads, tokens, width], one thread an element.
extern "C" __global__ void heads(const float* in, float* out, unsigned tokens, unsigned heads, unsigned width) {
  unsigned w = blockIdx.x * 128 + threadIdx.x, h = blockIdx.y, t = blockIdx.z;
  if (w >= width) return;
#ifdef OVERFLOW
  out[(h * tokens + t) * width + w] = in[((size_t)t * heads + h) * width + w];
#else
  out[((size_t)h * tokens + t) * width + w] = in[((size_t)t * heads + h) * width + w];
#endif
}
