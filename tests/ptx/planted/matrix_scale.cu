// bug: no-wrap bounds single-writer at 7: the flat index is an int, and rows * cols may be 2^31 and more
// flags: --names in,out,rows,cols --block 32,8 --grid "ceil_div(cols,32),ceil_div(rows,8)" --assume "rows >= 1 && cols >= 1" --buffer "in=f32[rows,cols]:r" --buffer "out=f32[rows,cols]:w"
extern "C" __global__ void matrix_scale(const float* in, float* out, int rows, int cols) {
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows && c < cols)
        out[r * cols + c] = 2.0f * in[r * cols + c];
}
