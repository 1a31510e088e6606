// The place of the greatest element of each row: by lanes, then by warps. What lanes exchange is compared as a number.
extern "C" __global__ void argmax(const float* x, int* out, int columns) {
  __shared__ float values[32];
  __shared__ int places[32];
  const float* row = x + (size_t)blockIdx.x * columns;
  float best = -1e30f;
  int at = 0;
#ifdef OFF_BY_ONE
  for (int c = threadIdx.x; c <= columns; c += blockDim.x) {
#else
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
#endif
    float value = row[c];
    if (value > best) best = value, at = c;
  }
  for (int o = 16; o > 0; o >>= 1) {
    float value = __shfl_down_sync(0xffffffff, best, o);
    int place = __shfl_down_sync(0xffffffff, at, o);
    if (value > best || (value == best && place < at)) best = value, at = place;
  }
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) values[warp] = best, places[warp] = at;
#ifndef MISSING_BARRIER
  __syncthreads();
#endif
  if (warp != 0) return;
  int warps = blockDim.x / 32;
#ifdef UNINITIALISED
  warps = 32;
#endif
  best = lane < warps ? values[lane] : -1e30f;
  at = lane < warps ? places[lane] : 0;
  for (int o = 16; o > 0; o >>= 1) {
    float value = __shfl_down_sync(0xffffffff, best, o);
    int place = __shfl_down_sync(0xffffffff, at, o);
    if (value > best || (value == best && place < at)) best = value, at = place;
  }
  if (lane == 0) out[blockIdx.x] = at;
}
