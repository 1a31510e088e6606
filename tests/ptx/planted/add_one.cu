// bug: bounds at 5: <= in the guard
// flags: --names x,y,n --block 256 --grid "ceil_div(n,256)" --assume "n >= 1 && n <= 2^30" --buffer "x=f32[n]:r" --buffer "y=f32[n]:w"
extern "C" __global__ void add_one(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) y[i] = x[i] + 1.0f;
}
