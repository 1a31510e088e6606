// Reverses every block of 256 elements.
__global__ void reverse(const float *in, float *out, int n) {
    __shared__ float tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (i < n)
        out[i] = tile[255 - threadIdx.x];
}
