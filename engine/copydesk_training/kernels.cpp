// Pointwise parts of one Qwen2 layer and of the cross-entropy, forward and backward, in bf16 with fp32 arithmetic.
//
// Optional: kernels.py compiles this file where a C++ compiler is found, and training runs on torch's own operators
// where none is. All tensors are contiguous, rows first; `rows` is the number of tokens. Row sums that cross threads
// are added up in thread order, so results depend on the number of threads alone.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>
#include <omp.h>

typedef uint16_t bf16;

static inline float widen(bf16 x) {
    uint32_t bits = (uint32_t)x << 16;
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

static inline bf16 narrow(float x) {  // round to nearest even; no NaN comes this far
    uint32_t bits;
    memcpy(&bits, &x, 4);
    bits += 0x7fff + ((bits >> 16) & 1);
    return (bf16)(bits >> 16);
}

static inline float fast_exp(float x) {  // relative error about 1e-6; vectorises, which std::exp does not
    x = x > 88.f ? 88.f : (x < -87.f ? -87.f : x);
    float n = std::floor(x * 1.44269504f + 0.5f);
    float r = x - n * 0.693359375f;
    r = r + n * 2.12194440e-4f;
    float p = 1.f + r * (1.f + r * (0.5f + r * (0.16666667f + r * (0.041666668f + r * 0.0083333333f))));
    int32_t exponent = ((int32_t)n + 127) << 23;
    float scale;
    memcpy(&scale, &exponent, 4);
    return p * scale;
}

static const int64_t WIDEST = 8192;  // scratch rows live on the stack; kernels.py checks it

extern "C" {

int64_t widest() { return WIDEST; }

// sum = x + delta (delta may be null, then sum is not written); y = sum * inverse_rms * weight.
void add_norm_forward(const bf16 *x, const bf16 *delta, const bf16 *weight, bf16 *sum, bf16 *y, float *inverse,
                      int64_t rows, int64_t width, float eps) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        const bf16 *a = x + i * width;
        bf16 *out = y + i * width;
        float row[WIDEST], squares = 0;
        if (delta) {
            const bf16 *b = delta + i * width;
            bf16 *s = sum + i * width;
#pragma omp simd
            for (int64_t j = 0; j < width; j++) {
                bf16 r = narrow(widen(a[j]) + widen(b[j]));
                s[j] = r;
                row[j] = widen(r);
            }
        } else {
#pragma omp simd
            for (int64_t j = 0; j < width; j++) row[j] = widen(a[j]);
        }
#pragma omp simd reduction(+ : squares)
        for (int64_t j = 0; j < width; j++) squares += row[j] * row[j];
        float r = 1.f / std::sqrt(squares / width + eps);
        inverse[i] = r;
#pragma omp simd
        for (int64_t j = 0; j < width; j++) out[j] = narrow(row[j] * r * widen(weight[j]));
    }
}

// dx = gradient through the norm (+ residual, unless null); dweight [width] fp32 is overwritten.
void norm_backward(const bf16 *x, const bf16 *weight, const float *inverse, const bf16 *dy, const bf16 *residual,
                   bf16 *dx, float *dweight, int64_t rows, int64_t width) {
    int threads = omp_get_max_threads();
    std::vector<float> sums((size_t)threads * width, 0.f);
#pragma omp parallel
    {
        float *sum = &sums[(size_t)omp_get_thread_num() * width];
#pragma omp for schedule(static)
        for (int64_t i = 0; i < rows; i++) {
            const bf16 *a = x + i * width, *g = dy + i * width;
            bf16 *out = dx + i * width;
            float scaled[WIDEST], unit[WIDEST], r = inverse[i], dot = 0;
#pragma omp simd reduction(+ : dot)
            for (int64_t j = 0; j < width; j++) {
                float u = widen(a[j]) * r, v = widen(g[j]);
                sum[j] += v * u;
                v *= widen(weight[j]);
                unit[j] = u;
                scaled[j] = v;
                dot += v * u;
            }
            dot /= width;
            if (residual) {
                const bf16 *q = residual + i * width;
#pragma omp simd
                for (int64_t j = 0; j < width; j++) out[j] = narrow(widen(q[j]) + r * (scaled[j] - unit[j] * dot));
            } else {
#pragma omp simd
                for (int64_t j = 0; j < width; j++) out[j] = narrow(r * (scaled[j] - unit[j] * dot));
            }
        }
    }
    for (int64_t j = 0; j < width; j++) {
        float total = 0;
        for (int p = 0; p < threads; p++) total += sums[(size_t)p * width + j];
        dweight[j] = total;
    }
}

// gate_up [rows, 2 inner] -> hidden [rows, inner] = silu(gate) * up.
void swiglu_forward(const bf16 *gate_up, bf16 *hidden, int64_t rows, int64_t inner) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        const bf16 *g = gate_up + i * 2 * inner, *u = g + inner;
        bf16 *out = hidden + i * inner;
#pragma omp simd
        for (int64_t j = 0; j < inner; j++) {
            float a = widen(g[j]);
            out[j] = narrow(a / (1.f + fast_exp(-a)) * widen(u[j]));
        }
    }
}

// dgate_up [rows, 2 inner] from dhidden [rows, inner]; hidden is made again beside it.
void swiglu_backward(const bf16 *gate_up, const bf16 *dhidden, bf16 *dgate_up, bf16 *hidden, int64_t rows,
                     int64_t inner) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        const bf16 *g = gate_up + i * 2 * inner, *u = g + inner, *q = dhidden + i * inner;
        bf16 *dg = dgate_up + i * 2 * inner, *du = dg + inner, *out = hidden + i * inner;
#pragma omp simd
        for (int64_t j = 0; j < inner; j++) {
            float a = widen(g[j]), s = 1.f / (1.f + fast_exp(-a)), d = widen(q[j]), up = widen(u[j]);
            out[j] = narrow(a * s * up);
            du[j] = narrow(d * a * s);
            dg[j] = narrow(d * up * s * (1.f + a * (1.f - s)));
        }
    }
}

// qkv [batch * length, (heads + 2 kv_heads) width] to query [batch, kv_heads, length, heads / kv_heads, width] and pairs
// [2, batch, kv_heads, length, width], the keys and the values: queries and keys turned by their position, queries times
// scale. cosine, sine [length, width]; positions [batch, length], or null for 0 .. length - 1.
void split_heads(const bf16 *qkv, const float *cosine, const float *sine, const int32_t *positions, bf16 *query,
                 bf16 *pairs, int64_t batch, int64_t length, int64_t heads, int64_t kv_heads, int64_t width,
                 float scale) {
    int64_t half = width / 2, rows = batch * length, size = rows * kv_heads * width, group = heads / kv_heads;
    int64_t all = heads + 2 * kv_heads;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        int64_t b = i / length, t = i % length;
        int64_t at = positions ? positions[i] : t;
        const float *c = cosine + at * width, *s = sine + at * width;
        for (int64_t h = 0; h < all; h++) {
            const bf16 *from = qkv + (i * all + h) * width;
            int64_t k = h < heads ? h / group : (h - heads) % kv_heads, row = (b * kv_heads + k) * length + t;
            bf16 *to = h < heads ? query + (row * group + h % group) * width
                                 : pairs + (h < heads + kv_heads ? 0 : size) + row * width;
            if (h >= heads + kv_heads) {
                memcpy(to, from, width * sizeof(bf16));
                continue;
            }
            float by = h < heads ? scale : 1.f;
#pragma omp simd
            for (int64_t j = 0; j < half; j++) {
                float x = widen(from[j]), y = widen(from[j + half]);
                to[j] = narrow(by * (x * c[j] - y * s[j]));
                to[j + half] = narrow(by * (y * c[j] + x * s[j]));
            }
        }
    }
}

// The gradient of split_heads: query and pairs back to rows, turned the other way.
void join_heads(const bf16 *query, const bf16 *pairs, const float *cosine, const float *sine, const int32_t *positions,
                bf16 *qkv, int64_t batch, int64_t length, int64_t heads, int64_t kv_heads, int64_t width,
                float scale) {
    int64_t half = width / 2, rows = batch * length, size = rows * kv_heads * width, group = heads / kv_heads;
    int64_t all = heads + 2 * kv_heads;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        int64_t b = i / length, t = i % length;
        int64_t at = positions ? positions[i] : t;
        const float *c = cosine + at * width, *s = sine + at * width;
        for (int64_t h = 0; h < all; h++) {
            bf16 *to = qkv + (i * all + h) * width;
            int64_t k = h < heads ? h / group : (h - heads) % kv_heads, row = (b * kv_heads + k) * length + t;
            const bf16 *from = h < heads ? query + (row * group + h % group) * width
                                         : pairs + (h < heads + kv_heads ? 0 : size) + row * width;
            if (h >= heads + kv_heads) {
                memcpy(to, from, width * sizeof(bf16));
                continue;
            }
            float by = h < heads ? scale : 1.f;
#pragma omp simd
            for (int64_t j = 0; j < half; j++) {
                float x = widen(from[j]), y = widen(from[j + half]);
                to[j] = narrow(by * (x * c[j] + y * s[j]));
                to[j + half] = narrow(by * (y * c[j] - x * s[j]));
            }
        }
    }
}

// What the tokens of rows [rows, length] see, as segments.py has it: [0, shared), [parent, parent_end) and [own, itself].
struct Segments {
    const int32_t *own, *shared, *parent, *parent_end;
};

// What one query sees of the keys at hand: columns [0, page), [parent, parent_end) and [own, end), in this order.
struct Seen {
    int64_t page, parent, parent_end, own, end;
};

// A block has `group` queries a token, the first of them the token `first` of its row; without segments (own is null) it sees all up to itself. Column j
// is key j, and key j + gap from some column on that no query's page reaches.
static inline Seen seen_by(const Segments &segments, int64_t i, int64_t queries, int64_t keys, int64_t heads,
                           int64_t group, int64_t length, int64_t first, int64_t gap) {
    int64_t token = first + i % queries / group, end = token + 1 - gap;
    if (end > keys) end = keys;
    if (!segments.own) return {0, 0, 0, 0, end};
    int64_t at = i / queries / heads * length + token, page = segments.shared[at], start = segments.own[at] - gap;
    if (start <= page) return {0, 0, 0, 0, end};  // the page or its first branch: nothing lies between
    int64_t parent = segments.parent[at], parent_end = segments.parent_end[at];
    if (parent == parent_end) return {page, page, page, start, end};
    return {page, parent - gap, parent_end - gap, start, end};
}

// scores [count, queries, keys] become softmax over what each query sees, in place.
void causal_softmax(bf16 *scores, const int32_t *own, const int32_t *shared, const int32_t *parent,
                    const int32_t *parent_end, int64_t count, int64_t queries, int64_t keys, int64_t heads,
                    int64_t group, int64_t length, int64_t first, int64_t gap) {
    Segments segments = {own, shared, parent, parent_end};
#pragma omp parallel
    {
        std::vector<float> scratch(keys);
        float *e = scratch.data();
#pragma omp for schedule(static)
        for (int64_t i = 0; i < count * queries; i++) {
            bf16 *row = scores + i * keys;
            Seen seen = seen_by(segments, i, queries, keys, heads, group, length, first, gap);
            int64_t spans[3][2] = {{0, seen.page}, {seen.parent, seen.parent_end}, {seen.own, seen.end}};
            float top = -3.4e38f, total = 0;
            for (auto &span : spans) {
                int64_t a = span[0], b = span[1];
#pragma omp simd reduction(max : top)
                for (int64_t j = a; j < b; j++) {
                    e[j] = widen(row[j]);
                    top = e[j] > top ? e[j] : top;
                }
            }
            for (auto &span : spans) {
                int64_t a = span[0], b = span[1];
#pragma omp simd reduction(+ : total)
                for (int64_t j = a; j < b; j++) {
                    e[j] = fast_exp(e[j] - top);
                    total += e[j];
                }
            }
            float scale = 1.f / total;
            for (auto &span : spans) {
                int64_t a = span[0], b = span[1];
#pragma omp simd
                for (int64_t j = a; j < b; j++) row[j] = narrow(e[j] * scale);
            }
            memset(row + seen.page, 0, (seen.parent - seen.page) * sizeof(bf16));
            memset(row + seen.parent_end, 0, (seen.own - seen.parent_end) * sizeof(bf16));
            memset(row + seen.end, 0, (keys - seen.end) * sizeof(bf16));
        }
    }
}

// grad [count, queries, keys] of the probabilities becomes that of the scores in place.
void causal_softmax_backward(const bf16 *probability, bf16 *grad, const int32_t *own, const int32_t *shared,
                             const int32_t *parent, const int32_t *parent_end, int64_t count, int64_t queries,
                             int64_t keys, int64_t heads, int64_t group, int64_t length, int64_t first, int64_t gap) {
    Segments segments = {own, shared, parent, parent_end};
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < count * queries; i++) {
        const bf16 *p = probability + i * keys;
        bf16 *g = grad + i * keys;
        Seen seen = seen_by(segments, i, queries, keys, heads, group, length, first, gap);
        int64_t spans[3][2] = {{0, seen.page}, {seen.parent, seen.parent_end}, {seen.own, seen.end}};
        float dot = 0;
        for (auto &span : spans) {
            int64_t a = span[0], b = span[1];
#pragma omp simd reduction(+ : dot)
            for (int64_t j = a; j < b; j++) dot += widen(p[j]) * widen(g[j]);
        }
        for (auto &span : spans) {
            int64_t a = span[0], b = span[1];
#pragma omp simd
            for (int64_t j = a; j < b; j++) g[j] = narrow(widen(p[j]) * (widen(g[j]) - dot));
        }
        memset(g + seen.page, 0, (seen.parent - seen.page) * sizeof(bf16));
        memset(g + seen.parent_end, 0, (seen.own - seen.parent_end) * sizeof(bf16));
        memset(g + seen.end, 0, (keys - seen.end) * sizeof(bf16));
    }
}

// logits [rows, size] become d(sum of coefficient * loss)/d(logits) in place; loss [rows] in nats, fp32.
void cross_entropy(bf16 *logits, const int64_t *target, const float *coefficient, float *loss, int64_t rows,
                   int64_t size) {
#pragma omp parallel
    {
        std::vector<float> scratch(size);
        float *e = scratch.data();
#pragma omp for schedule(static)
        for (int64_t i = 0; i < rows; i++) {
            bf16 *row = logits + i * size;
            float top = -3.4e38f, total = 0, wanted = widen(row[target[i]]);
#pragma omp simd reduction(max : top)
            for (int64_t j = 0; j < size; j++) top = widen(row[j]) > top ? widen(row[j]) : top;
#pragma omp simd reduction(+ : total)
            for (int64_t j = 0; j < size; j++) {
                e[j] = fast_exp(widen(row[j]) - top);
                total += e[j];
            }
            loss[i] = std::log(total) + top - wanted;
            float scale = coefficient[i] / total;
#pragma omp simd
            for (int64_t j = 0; j < size; j++) row[j] = narrow(e[j] * scale);
            row[target[i]] = narrow(e[target[i]] * scale - coefficient[i]);
        }
    }
}
}
