// bug: barrier at 8: threads return before the barrier
// flags: --names x,y,n --block 256 --grid "ceil_div(n,256)" --assume "n >= 1 && n <= 2^30" --buffer "x=f32[n]:r" --buffer "y=f32[n]:w"
extern "C" __global__ void rotate(const float* x, float* y, int n) {
    __shared__ float s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    s[threadIdx.x] = x[i];
    __syncthreads();
    y[i] = s[(threadIdx.x + 1) % 256];
}
