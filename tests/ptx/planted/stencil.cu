// bug: bounds at 7: the element before the first
// flags: --names x,y,n --block 256 --grid "ceil_div(n,256)" --assume "n >= 1 && n <= 2^30" --buffer "x=f32[n]:r" --buffer "y=f32[n]:w"
extern "C" __global__ void stencil(const float* x, float* y, int n) {
    __shared__ float s[258];
    int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x + 1;
    s[t] = i < n ? x[i] : 0.0f;
    if (threadIdx.x == 0) s[0] = x[i - 1];
    if (threadIdx.x == 255) s[257] = i + 1 < n ? x[i + 1] : 0.0f;
    __syncthreads();
    if (i < n) y[i] = s[t - 1] + s[t] + s[t + 1];
}
