// Copies `width` bytes of each row, a block a row: in chunks of 16 where both sides allow it, else byte by byte.
extern "C" __global__ void copy_rows(const unsigned char* from, unsigned char* to, long long from_pitch, long long to_pitch,
                                     int width) {
  const unsigned char* source = from + blockIdx.x * from_pitch;
  unsigned char* target = to + blockIdx.x * to_pitch;
#ifdef SOURCE_ONLY
  bool whole = width % 16 == 0 && from_pitch % 16 == 0;
#else
  bool whole = width % 16 == 0 && from_pitch % 16 == 0 && to_pitch % 16 == 0;
#endif
  if (whole) {
#ifdef CHUNK_SHORT
    int chunks = width / 16 - 1;
#else
    int chunks = width / 16;
#endif
    for (int i = threadIdx.x; i < chunks; i += 128) ((uint4*)target)[i] = ((const uint4*)source)[i];
  } else {
    for (int i = threadIdx.x; i < width; i += 128) target[i] = source[i];
  }
}
