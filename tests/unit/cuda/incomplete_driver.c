// A libcuda.so.1 of a driver's version that has nothing else, for a test.
__attribute__((visibility("default"))) int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
