// bug: init at 9: rows and columns change places in the guard, and not in the store
// flags: --names a,b,rows,cols --block 16,16 --grid "ceil_div(cols,16),ceil_div(rows,16)" --assume "rows >= 1 && rows <= 2^15 && cols >= 1 && cols <= 2^15" --buffer "a=f32[rows,cols]:r" --buffer "b=f32[cols,rows]:w"
extern "C" __global__ void transpose(const float* a, float* b, int rows, int cols) {
    __shared__ float tile[16][16];
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
    if (r < rows && c < cols) tile[threadIdx.y][threadIdx.x] = a[r * cols + c];
    __syncthreads();
    int tr = blockIdx.x * 16 + threadIdx.y, tc = blockIdx.y * 16 + threadIdx.x;
    if (tr < rows && tc < cols) b[tr * cols + tc] = tile[threadIdx.x][threadIdx.y];
}
