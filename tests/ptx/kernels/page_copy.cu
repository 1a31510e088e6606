// Copies pages of a pool into a row each, the pages in the order of a list: one block a page of 276,480 bytes.
// Whoever made the list has checked that each entry is in [0, pages).
#define PAGE 276480
extern "C" __global__ void page_copy(const unsigned char* pool, const int* list, unsigned char* out, int pages) {
  int page = list[blockIdx.x];
#ifdef OVERFLOW
  const unsigned char* from = pool + page * PAGE;
#else
  const unsigned char* from = pool + (long long)page * PAGE;
#endif
  unsigned char* to = out + (long long)blockIdx.x * PAGE;
  for (int i = threadIdx.x; i < PAGE; i += 256) to[i] = from[i];
}
