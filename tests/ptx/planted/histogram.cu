// bug: race single-writer at 5: no atomic addition
// flags: --names idx,count,n --block 256 --grid "ceil_div(n,256)" --assume "n >= 1 && n <= 2^30" --buffer "idx=s32[n]:r" --buffer "count=s32[1000]:rw" --fact "idx[i] in [0, 1000)"
extern "C" __global__ void histogram(const int* idx, int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) count[idx[i]] += 1;
}
