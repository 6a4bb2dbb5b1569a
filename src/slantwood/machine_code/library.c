/* What a library of kernels has beside them. */

#include <stdint.h>
#include <stdlib.h>

#ifdef _WIN32
#define EXPORTED __declspec(dllexport)
#else
#define EXPORTED __attribute__((visibility("default")))
#endif

/* Gives back the memory of an array that a kernel returned. Numba's record of it begins with the count of
   references, which may be two where an array is returned twice. */
EXPORTED void slantwood_release(int64_t *record)
{
    if (--*record == 0)
        free(record);
}

#ifdef __x86_64__
#include <cpuid.h>

/* 2 or 3 for a processor (and a system that keeps its registers) with all of x86-64-v2 or -v3, 1 for others. */
EXPORTED int slantwood_level(void)
{
    const unsigned v2 = bit_SSE3 | bit_SSSE3 | bit_CMPXCHG16B | bit_SSE41 | bit_SSE42 | bit_POPCNT;
    const unsigned v3 = bit_FMA | bit_MOVBE | bit_OSXSAVE | bit_AVX | bit_F16C;
    const unsigned v3_of_7 = bit_AVX2 | bit_BMI | bit_BMI2;
    unsigned a, b, c, d, saved, unused;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & v2) != v2)
        return 1;
    if ((c & v3) != v3 || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & v3_of_7) != v3_of_7)
        return 2;
    if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !(c & bit_LZCNT))
        return 2;
    __asm__("xgetbv" : "=a"(saved), "=d"(unused) : "c"(0));
    return (saved & 6) == 6 ? 3 : 2;
}
#else
EXPORTED int slantwood_level(void)
{
    return 0;
}
#endif
