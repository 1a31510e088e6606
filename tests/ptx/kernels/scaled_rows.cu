// Quantised rows in shared memory: 16 words of 4 values each, and behind them the scales of the row's two halves. A warp
// a row, 8 rows a block: lanes 0 and 8 store the scales, the words that the row lacks are zeroed, and the whole row goes out.
#define WORDS 16
extern "C" __global__ void scaled_rows(const unsigned* in, const float* scales, unsigned* out, int words) {
  __shared__ unsigned rows[8][WORDS + 2];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  long long row = blockIdx.x * 8LL + warp;
  if (lane < words) rows[warp][lane] = in[row * words + lane];
  if (lane == 0 || lane == 8) rows[warp][WORDS + lane / 8] = __float_as_uint(scales[row * 2 + lane / 8]);
#ifdef ALL_LANES
  if (lane >= words) rows[warp][lane] = 0;
#else
  if (lane >= words && lane < WORDS) rows[warp][lane] = 0;
#endif
  __syncthreads();
  if (lane < WORDS + 2) out[row * (WORDS + 2) + lane] = rows[warp][lane];
}
