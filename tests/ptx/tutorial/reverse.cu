// Reverses every block of 256 elements. There is a mistake in it.
__global__ void reverse(const float *in, float *out, int n) {
    __shared__ float tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        tile[threadIdx.x] = in[i];
    if (i < n)
        out[i] = tile[255 - threadIdx.x];
}
