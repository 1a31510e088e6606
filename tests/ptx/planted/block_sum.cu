// bug: race at 9: no barrier in the loop
// flags: --names x,out,n --block 256 --grid 1 --assume "n >= 1 && n <= 256 && dynamic_shared >= 1024" --buffer "x=f32[n]:r" --buffer "out=f32[1]:w"
extern "C" __global__ void block_sum(const float* x, float* out, int n) {
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[t] = t < n ? x[blockIdx.x * blockDim.x + t] : 0.0f;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k) s[t] += s[t + k];
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
