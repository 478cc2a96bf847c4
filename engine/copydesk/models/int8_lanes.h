// Registers of 32-bit numbers, as int8_forward.cpp uses them: 16 at a time with AVX-512 and products of bytes (VNNI), 8 with AVX2.
//
// `left` is how many numbers there still are: a load gives zeros for the others, a store leaves what lies behind them alone.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <immintrin.h>

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512VNNI__)

typedef __m512 Floats;
typedef __m512i Ints;
typedef __mmask16 Mask; // a bit per number

static const int64_t LANES = 16;     // numbers of a register
static const int64_t REGISTERS = 4;  // of outputs that one tile computes together
static const int64_t ROWS = 6;       // rows that one tile computes together: 24 sums, 4 weights and a row's number fit 32 registers
static const int32_t OFFSET = 128;   // what is added to weights: products of bytes want one side unsigned

static inline Mask within(int64_t left) { return left >= LANES ? 0xFFFF : left <= 0 ? 0 : (Mask)((1u << left) - 1); }
static inline Mask set_in(const uint8_t *bytes, int64_t left) {
    Mask here = within(left);
    return here & _mm_test_epi8_mask(_mm_maskz_loadu_epi8(here, bytes), _mm_set1_epi8(-1));
}
static inline Mask above(Floats a, Floats b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ); }
static inline Floats choose(Mask mask, Floats yes, Floats no) { return _mm512_mask_blend_ps(mask, no, yes); }

static inline Floats repeat(float x) { return _mm512_set1_ps(x); }
static inline Floats load(const float *from) { return _mm512_loadu_ps(from); }
static inline Floats load(const float *from, int64_t left) { return _mm512_maskz_loadu_ps(within(left), from); }
static inline Floats load_bfloat16(const uint16_t *from, int64_t left) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(within(left), from)), 16));
}
static inline void store(float *to, Floats x) { _mm512_storeu_ps(to, x); }
static inline void store(float *to, Floats x, int64_t left) { _mm512_mask_storeu_ps(to, within(left), x); }
static inline Floats smaller(Floats a, Floats b) { return _mm512_min_ps(a, b); }
static inline Floats larger(Floats a, Floats b) { return _mm512_max_ps(a, b); }
static inline Floats magnitude(Floats x) { return _mm512_abs_ps(x); }
static inline Floats fused(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }
static inline Floats minus_fused(Floats a, Floats b, Floats c) { return _mm512_fnmadd_ps(a, b, c); }
static inline Floats whole(Floats x) { return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
static inline Floats times_power_of_two(Floats x, Floats power) { return _mm512_scalef_ps(x, power); }
static inline float largest_of(Floats x) { return _mm512_reduce_max_ps(x); }
static inline float sum_of(Floats x) { return _mm512_reduce_add_ps(x); }

static inline Ints repeat_int(int32_t x) { return _mm512_set1_epi32(x); }
static inline Ints no_ints() { return _mm512_setzero_si512(); }
static inline Ints load_ints(const void *from) { return _mm512_loadu_si512(from); }
static inline void store_ints(void *to, Ints x) { _mm512_storeu_si512(to, x); }
static inline Ints plus(Ints a, Ints b) { return _mm512_add_epi32(a, b); }
static inline Ints minus(Ints a, Ints b) { return _mm512_sub_epi32(a, b); }
static inline Ints to_ints(Floats x) { return _mm512_cvtps_epi32(x); }
static inline Floats to_floats(Ints x) { return _mm512_cvtepi32_ps(x); }
static inline void store_bytes(int8_t *to, Ints x) { _mm_storeu_si128((__m128i *)to, _mm512_cvtsepi32_epi8(x)); }
static inline void store_shorts(int16_t *to, Ints x, int64_t left) { _mm256_mask_storeu_epi16(to, within(left), _mm512_cvtepi32_epi16(x)); }
// Of 16-bit numbers, a register of them: (x + half) >> shift, without a sign.
static inline Ints shifted(Ints x, int16_t half, int shift) { return _mm512_srli_epi16(_mm512_adds_epi16(x, _mm512_set1_epi16(half)), shift); }

// sum + products of weights, unsigned bytes that are OFFSET too large, and a row's signed bytes, four to a sum.
static inline Ints add_bytes(Ints sum, Ints weights, Ints row) { return _mm512_dpbusd_epi32(sum, weights, row); }
// sum + products of signed 16-bit numbers, two to a sum.
static inline Ints add_shorts(Ints sum, Ints weights, Ints row) { return _mm512_dpwssd_epi32(sum, weights, row); }

// The first steps of a Hadamard transform, within a register: of blocks of at most LANES numbers.
static inline Floats rotated_within(Floats a, int64_t block) {
    Floats b;
    if (block >= 2) b = _mm512_permute_ps(a, 0xB1), a = _mm512_mask_sub_ps(_mm512_add_ps(a, b), 0xAAAA, b, a);
    if (block >= 4) b = _mm512_permute_ps(a, 0x4E), a = _mm512_mask_sub_ps(_mm512_add_ps(a, b), 0xCCCC, b, a);
    if (block >= 8) b = _mm512_shuffle_f32x4(a, a, 0xB1), a = _mm512_mask_sub_ps(_mm512_add_ps(a, b), 0xF0F0, b, a);
    if (block >= 16) b = _mm512_shuffle_f32x4(a, a, 0x4E), a = _mm512_mask_sub_ps(_mm512_add_ps(a, b), 0xFF00, b, a);
    return a;
}

#elif defined(__AVX2__) && defined(__FMA__)

typedef __m256 Floats;
typedef __m256i Ints;
typedef __m256i Mask; // all bits of a number set, or none

static const int64_t LANES = 8;
static const int64_t REGISTERS = 2;
static const int64_t ROWS = 4;    // 8 sums, 2 weights, their magnitudes and a row's number fit 16 registers
static const int32_t OFFSET = 0;

static inline Mask within(int64_t left) {
    static const int32_t ONES[2 * LANES] = {-1, -1, -1, -1, -1, -1, -1, -1};
    return _mm256_loadu_si256((const __m256i *)(ONES + LANES - std::max((int64_t)0, std::min(LANES, left))));
}
static inline Mask set_in(const uint8_t *bytes, int64_t left) {
    int64_t some = 0;
    if (left > 0) memcpy(&some, bytes, std::min(LANES, left));
    return _mm256_cmpgt_epi32(_mm256_cvtepu8_epi32(_mm_cvtsi64_si128(some)), _mm256_setzero_si256());
}
static inline Mask above(Floats a, Floats b) { return _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_GT_OQ)); }
static inline Floats choose(Mask mask, Floats yes, Floats no) { return _mm256_blendv_ps(no, yes, _mm256_castsi256_ps(mask)); }

static inline Floats repeat(float x) { return _mm256_set1_ps(x); }
static inline Floats load(const float *from) { return _mm256_loadu_ps(from); }
static inline Floats load(const float *from, int64_t left) { return _mm256_maskload_ps(from, within(left)); }
static inline Floats load_bfloat16(const uint16_t *from, int64_t left) {
    uint16_t some[LANES] = {};
    if (left > 0) memcpy(some, from, 2 * std::min(LANES, left));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)some)), 16));
}
static inline void store(float *to, Floats x) { _mm256_storeu_ps(to, x); }
static inline void store(float *to, Floats x, int64_t left) { _mm256_maskstore_ps(to, within(left), x); }
static inline Floats smaller(Floats a, Floats b) { return _mm256_min_ps(a, b); }
static inline Floats larger(Floats a, Floats b) { return _mm256_max_ps(a, b); }
static inline Floats magnitude(Floats x) { return _mm256_andnot_ps(_mm256_set1_ps(-0.f), x); }
static inline Floats fused(Floats a, Floats b, Floats c) { return _mm256_fmadd_ps(a, b, c); }
static inline Floats minus_fused(Floats a, Floats b, Floats c) { return _mm256_fnmadd_ps(a, b, c); }
static inline Floats whole(Floats x) { return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
static inline Floats times_power_of_two(Floats x, Floats power) { // of -126 to 127
    Ints bits = _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(power), _mm256_set1_epi32(127)), 23);
    return _mm256_mul_ps(x, _mm256_castsi256_ps(bits));
}
static inline float largest_of(Floats x) {
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_shuffle_ps(half, half, 1)));
}
static inline float sum_of(Floats x) {
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_shuffle_ps(half, half, 1)));
}

static inline Ints repeat_int(int32_t x) { return _mm256_set1_epi32(x); }
static inline Ints no_ints() { return _mm256_setzero_si256(); }
static inline Ints load_ints(const void *from) { return _mm256_loadu_si256((const __m256i *)from); }
static inline void store_ints(void *to, Ints x) { _mm256_storeu_si256((__m256i *)to, x); }
static inline Ints plus(Ints a, Ints b) { return _mm256_add_epi32(a, b); }
static inline Ints minus(Ints a, Ints b) { return _mm256_sub_epi32(a, b); }
static inline Ints to_ints(Floats x) { return _mm256_cvtps_epi32(x); }
static inline Floats to_floats(Ints x) { return _mm256_cvtepi32_ps(x); }
static inline __m128i as_shorts(Ints x) { return _mm_packs_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1)); }
static inline void store_bytes(int8_t *to, Ints x) {
    __m128i shorts = as_shorts(x);
    _mm_storel_epi64((__m128i *)to, _mm_packs_epi16(shorts, shorts));
}
static inline void store_shorts(int16_t *to, Ints x, int64_t left) {
    __m128i shorts = as_shorts(x);
    memcpy(to, &shorts, left >= LANES ? 2 * LANES : 2 * left);
}
static inline Ints shifted(Ints x, int16_t half, int shift) {
    return _mm256_srl_epi16(_mm256_adds_epi16(x, _mm256_set1_epi16(half)), _mm_cvtsi32_si128(shift));
}

// Two products of at most 127 * 127 fit 16 bits, with which of the two has the sign moved to the row.
static inline Ints add_bytes(Ints sum, Ints weights, Ints row) {
    Ints pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(weights), _mm256_sign_epi8(row, weights));
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}
static inline Ints add_shorts(Ints sum, Ints weights, Ints row) { return _mm256_add_epi32(sum, _mm256_madd_epi16(weights, row)); }

static inline Floats rotated_within(Floats a, int64_t block) {
    Floats b;
    if (block >= 2) b = _mm256_permute_ps(a, 0xB1), a = _mm256_blend_ps(_mm256_add_ps(a, b), _mm256_sub_ps(b, a), 0xAA);
    if (block >= 4) b = _mm256_permute_ps(a, 0x4E), a = _mm256_blend_ps(_mm256_add_ps(a, b), _mm256_sub_ps(b, a), 0xCC);
    if (block >= 8) b = _mm256_permute2f128_ps(a, a, 1), a = _mm256_blend_ps(_mm256_add_ps(a, b), _mm256_sub_ps(b, a), 0xF0);
    return a;
}

#else
#error "AVX2 with FMA is needed, or AVX-512 with VNNI"
#endif

static const int64_t COLUMNS = LANES * REGISTERS; // outputs that one tile computes together

static inline int64_t total_of(Ints x) {
    int32_t lanes[LANES];
    store_ints(lanes, x);
    int64_t total = 0;
    for (int64_t j = 0; j < LANES; j++) total += lanes[j];
    return total;
}
