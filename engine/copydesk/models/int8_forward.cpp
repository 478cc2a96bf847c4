// The forward of the Llama family in 8-bit integers.
//
// A token's result is bit for bit the same whatever is forwarded beside it, however tokens are split into forwards, and with any
// number of threads. What is added up within one token is added by the same code in the same order for all; what is added up
// over keys, whose slots may lie in any order, is added as integers, which have no order.
//
// Weights of linear layers are bytes, OFFSET more than the signed number they stand for, with one scale per output; rows are signed
// bytes with one scale per row. Rows with outliers are rotated first, and their weights with them (see int8_linear.py). Queries,
// keys and values are 16-bit integers with one scale per head. States between the layers are float32.
#include "int8_lanes.h"
#include <vector>

static const int64_t AT_ONCE = 96;      // tokens whose hidden states lie in the cache together
static const float LEVELS = 127.f;      // rows and weights have values from -LEVELS to LEVELS
static const int VALUE_BITS = 11;       // of a value, without its sign
static const float MOST = 32767.f;      // the largest weight of a value
static const int64_t WEIGHTS = 1 << 19; // what the weights of all values may add up to; times 2 ** VALUE_BITS it fits 31 bits
static const float GRAIN = 1 << 18;     // probabilities are added up in units of one GRAINth of the largest

struct Linear {
    const uint8_t *weight; // [outputs / COLUMNS][inputs / 4][COLUMNS][4], both padded
    const float *scales;   // [outputs]
    const float *bias;     // [outputs], or null
    int64_t outputs, inputs, block;
};

struct Layer {
    const float *input_norm;
    Linear qkv;
    const float *head_norm; // [heads + kv_heads][width], or null
    Linear out;
    const float *mlp_norm;
    Linear gate_up, down;
};

struct Model {
    const Layer *layers;
    int64_t count, hidden, inner, heads, kv_heads, width;
    const float *norm;
    Linear head;
    double eps;
};

// One packed row. numbers [layers][2 kv_heads][capacity][width]: keys, then values; scales [layers][2 kv_heads][capacity].
// slots [n]: where the row's n tokens, the forward's from `first` on, are written. mask [n][keys], or null: plain causal.
struct View {
    int16_t *numbers;
    float *scales;
    int64_t capacity, first, n, keys;
    const int32_t *slots;
    const uint8_t *mask;
};

static inline int64_t padded(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

// Memory that a thread keeps, aligned to cache lines.
template <int WHICH, typename T> static T *scratch(int64_t count) {
    static thread_local std::vector<char> memory;
    size_t needed = (size_t)count * sizeof(T) + 64;
    if (memory.size() < needed) {
        std::vector<char>().swap(memory);
        memory.resize(needed);
    }
    return (T *)(((uintptr_t)memory.data() + 63) & ~(uintptr_t)63);
}

static inline Floats exponential(Floats x) { // relative error about 1e-7; x <= 88
    x = larger(x, repeat(-87.f));
    Floats n = whole(x * repeat(1.44269504f));
    Floats r = minus_fused(n, repeat(0.693359375f), x);
    r = minus_fused(n, repeat(-2.12194440e-4f), r);
    Floats p = repeat(1.9875691500e-4f);
    p = fused(p, r, repeat(1.3981999507e-3f));
    p = fused(p, r, repeat(8.3334519073e-3f));
    p = fused(p, r, repeat(4.1665795894e-2f));
    p = fused(p, r, repeat(1.6666665459e-1f));
    p = fused(p, r, repeat(5.0000001201e-1f));
    p = fused(p, r * r, r + repeat(1.f));
    return times_power_of_two(p, n);
}

// ---------------------------------------------------------------------------------------------------------------- products

struct Bytes {
    static inline Ints add(Ints sum, Ints weights, Ints row) { return add_bytes(sum, weights, row); }
};
struct Shorts {
    static inline Ints add(Ints sum, Ints weights, Ints row) { return add_shorts(sum, weights, row); }
};

// sums [R][COLUMNS] of R rows with a panel [groups][COLUMNS] of 32-bit groups. stride: bytes from row to row; sums: to apart.
template <typename Kind, int R>
static inline void tile(const char *rows, int64_t stride, const char *panel, int64_t groups, int32_t *sums, int64_t apart) {
    Ints sum[R][REGISTERS];
#pragma GCC unroll 6
    for (int r = 0; r < R; r++)
#pragma GCC unroll 4
        for (int c = 0; c < REGISTERS; c++) sum[r][c] = no_ints();
    for (int64_t g = 0; g < groups; g++) {
        Ints weights[REGISTERS];
#pragma GCC unroll 4
        for (int c = 0; c < REGISTERS; c++) weights[c] = load_ints(panel + 4 * (g * COLUMNS + LANES * c));
#pragma GCC unroll 6
        for (int r = 0; r < R; r++) {
            int32_t group;
            memcpy(&group, rows + r * stride + 4 * g, 4);
            Ints row = repeat_int(group);
#pragma GCC unroll 4
            for (int c = 0; c < REGISTERS; c++) sum[r][c] = Kind::add(sum[r][c], weights[c], row);
        }
    }
#pragma GCC unroll 6
    for (int r = 0; r < R; r++)
#pragma GCC unroll 4
        for (int c = 0; c < REGISTERS; c++) store_ints(sums + r * apart + LANES * c, sum[r][c]);
}

template <typename Kind>
static inline void tile_of(int64_t count, const void *rows, int64_t stride, const void *panel, int64_t groups, int32_t *sums,
                           int64_t apart) {
    const char *a = (const char *)rows, *b = (const char *)panel;
    switch (count) {
    case 1: return tile<Kind, 1>(a, stride, b, groups, sums, apart);
    case 2: return tile<Kind, 2>(a, stride, b, groups, sums, apart);
    case 3: return tile<Kind, 3>(a, stride, b, groups, sums, apart);
    case 4: return tile<Kind, 4>(a, stride, b, groups, sums, apart);
    case 5: return tile<Kind, ROWS < 5 ? ROWS : 5>(a, stride, b, groups, sums, apart); // not with fewer ROWS
    default: return tile<Kind, ROWS>(a, stride, b, groups, sums, apart);
    }
}

// ---------------------------------------------------------------------------------------------------------------- rows

// Rotates blocks of 64 numbers, or of any smaller power of two: products with Hadamard matrices.
static void rotate(float *x, int64_t count, int64_t block) {
    const int PARTS = 64 / LANES;
    for (int64_t j = 0; j < count; j += 64) {
        Floats part[PARTS];
        for (int i = 0; i < PARTS; i++) part[i] = rotated_within(load(x + j + LANES * i), block);
        for (int apart = 1; apart < PARTS; apart *= 2) {
            if (block < 2 * LANES * apart) break;
            for (int i = 0; i < PARTS; i++) {
                if (i & apart) continue;
                Floats a = part[i], b = part[i + apart];
                part[i] = a + b, part[i + apart] = a - b;
            }
        }
        for (int i = 0; i < PARTS; i++) store(x + j + LANES * i, part[i]);
    }
}

static inline float largest(const float *x, int64_t count) { // of a multiple of LANES
    Floats top = repeat(0.f);
    for (int64_t j = 0; j < count; j += LANES) top = larger(top, magnitude(load(x + j)));
    return largest_of(top);
}

// A row as signed bytes. x: `count` numbers, a multiple of 64, rotated and overwritten. step: what one unit stands for.
static void to_bytes(float *x, int64_t count, int64_t block, int8_t *bytes, float *step, int32_t *sum) {
    if (block > 1) rotate(x, count, block);
    float most = largest(x, count);
    Floats factor = repeat(most > 0.f ? LEVELS / most : 0.f);
    Ints total = no_ints();
    for (int64_t j = 0; j < count; j += LANES) {
        Ints rounded = to_ints(load(x + j) * factor);
        total = plus(total, rounded);
        store_bytes(bytes + j, rounded);
    }
    *step = most / LEVELS;
    *sum = (int32_t)total_of(total);
}

// Numbers as 16-bit integers of at most `most`; gives what one unit stands for. padded: how many are written, the rest zeros.
static float to_shorts(const float *x, int64_t count, int16_t *shorts, int64_t written, float most) {
    Floats top = repeat(0.f);
    for (int64_t j = 0; j < count; j += LANES) top = larger(top, magnitude(load(x + j, count - j)));
    float peak = largest_of(top);
    Floats factor = repeat(peak > 0.f ? most / peak : 0.f);
    for (int64_t j = 0; j < written; j += LANES) store_shorts(shorts + j, to_ints(load(x + j, count - j) * factor), written - j);
    return peak / most;
}

static inline float inverse_rms(const float *x, int64_t count, double eps) {
    Floats squares = repeat(0.f);
    for (int64_t j = 0; j < count; j += LANES) {
        Floats part = load(x + j, count - j);
        squares = fused(part, part, squares);
    }
    return (float)(1.0 / __builtin_sqrt((double)sum_of(squares) / (double)count + eps));
}

// Rows of a linear layer's input, as bytes.
struct Rows {
    int8_t *bytes;
    float *steps;
    int32_t *sums;
    int64_t stride;

    Rows(int64_t n, int64_t inputs)
        : bytes(scratch<0, int8_t>(n * padded(inputs, 64))), steps(scratch<1, float>(n)), sums(scratch<2, int32_t>(n)),
          stride(padded(inputs, 64)) {}

    void put(int64_t i, float *x, int64_t block) { to_bytes(x, stride, block, bytes + i * stride, steps + i, sums + i); }
};

// x [n][stride] as they are, or normed where `norm` is given.
static Rows rows_of(const float *x, int64_t stride, const float *norm, double eps, const Linear &layer, int64_t n, int threads) {
    int64_t width = layer.inputs;
    Rows rows(n, width);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int64_t i = 0; i < n; i++) {
        const float *from = x + i * stride;
        float *row = scratch<3, float>(rows.stride);
        Floats factor = repeat(norm ? inverse_rms(from, width, eps) : 1.f);
        for (int64_t j = 0; j < rows.stride; j += LANES) {
            Floats part = load(from + j, width - j);
            if (norm) part = part * factor * load(norm + j, width - j);
            store(row + j, part);
        }
        rows.put(i, row, layer.block);
    }
    return rows;
}

// silu(gate) * up of gate_up [n][2 inner].
static Rows gated_rows(const float *gate_up, const Linear &layer, int64_t n, int threads) {
    int64_t inner = layer.inputs;
    Rows rows(n, inner);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int64_t i = 0; i < n; i++) {
        const float *gates = gate_up + i * 2 * inner, *ups = gates + inner;
        float *row = scratch<3, float>(rows.stride);
        for (int64_t j = 0; j < rows.stride; j += LANES) {
            Floats gate = load(gates + j, inner - j), up = load(ups + j, inner - j);
            Floats below = exponential(smaller(repeat(0.f) - gate, repeat(87.f)));
            store(row + j, gate / (below + repeat(1.f)) * up);
        }
        rows.put(i, row, layer.block);
    }
    return rows;
}

// result [n][outputs] of rows, or what is added to it.
static void multiply(const Linear &layer, const Rows &rows, int64_t n, float *result, bool added, int threads) {
    int64_t groups = padded(layer.inputs, 4) / 4, outputs = layer.outputs;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int64_t first = 0; first < outputs; first += COLUMNS) {
        const uint8_t *panel = layer.weight + first * groups * 4;
        alignas(64) int32_t sums[ROWS * COLUMNS];
        for (int64_t i = 0; i < n; i += ROWS) {
            int64_t count = std::min(ROWS, n - i);
            tile_of<Bytes>(count, rows.bytes + i * rows.stride, rows.stride, panel, groups, sums, COLUMNS);
            for (int64_t c = 0; c < COLUMNS && first + c < outputs; c += LANES) {
                int64_t left = outputs - first - c;
                Floats scales = load(layer.scales + first + c, left);
                Floats bias = layer.bias ? load(layer.bias + first + c, left) : repeat(0.f);
                for (int64_t r = 0; r < count; r++) {
                    // Weights are OFFSET too large.
                    Ints sum = minus(load_ints(sums + r * COLUMNS + c), repeat_int(OFFSET * rows.sums[i + r]));
                    Floats product = to_floats(sum) * scales * repeat(rows.steps[i + r]) + bias;
                    float *to = result + (i + r) * outputs + first + c;
                    if (added) product = product + load(to, left);
                    store(to, product, left);
                }
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------- attention

// Of queries and of keys, without sign: a sum over the head fits 31 bits.
static int head_bits(int64_t width) {
    int bits = 0;
    while ((int64_t)1 << bits < width) bits++;
    return std::min(15, (30 - bits) / 2);
}

// Of one row: [heads][n][width] queries and their steps, token after token for the heads that share keys.
struct Queries {
    int16_t *numbers;
    float *steps;
    int64_t stride;
};

// Norms and turns the heads of `states` [n][heads + 2 kv_heads][width]; keys and values go to the views' slots of this layer.
static void write_heads(const Model &model, const Layer &layer, int64_t index, const float *states, const float *cosine,
                        const float *sine, const View &view, const Queries &queries, int threads) {
    int64_t heads = model.heads, kv_heads = model.kv_heads, width = model.width, half = width / 2, parts = heads + 2 * kv_heads;
    float most = (float)((1 << head_bits(width)) - 1), most_value = (float)((1 << VALUE_BITS) - 1);
    float scale = 1.f / __builtin_sqrtf((float)width);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int64_t t = 0; t < view.n; t++) {
        int64_t i = view.first + t;
        float *head = scratch<3, float>(2 * padded(width, 64)), *turned = head + padded(width, 64);
        for (int64_t h = 0; h < parts; h++) {
            const float *from = states + (i * parts + h) * width;
            int64_t kv = h - heads;
            int16_t *to = queries.numbers + (i * heads + h) * queries.stride;
            if (kv >= 0) to = view.numbers + ((index * 2 * kv_heads + kv) * view.capacity + view.slots[t]) * width;
            float *step = kv < 0 ? queries.steps + i * heads + h
                                 : view.scales + (index * 2 * kv_heads + kv) * view.capacity + view.slots[t];
            if (kv >= kv_heads) {
                *step = to_shorts(from, width, to, width, most_value);
                continue;
            }
            float factor = layer.head_norm ? inverse_rms(from, width, model.eps) : 1.f;
            for (int64_t j = 0; j < width; j++)
                head[j] = layer.head_norm ? from[j] * factor * layer.head_norm[h * width + j] : from[j];
            const float *c = cosine + i * width, *s = sine + i * width;
            for (int64_t j = 0; j < half; j++) {
                turned[j] = __builtin_fmaf(head[j], c[j], head[j + half] * s[j]);
                turned[j + half] = __builtin_fmaf(head[j + half], c[j + half], head[j] * s[j + half]);
            }
            *step = to_shorts(turned, width, to, kv < 0 ? queries.stride : width, most);
            if (kv < 0) *step *= scale;
        }
    }
}

// Keys [keys][width] as panels [keys / COLUMNS][pairs][COLUMNS] of pairs of numbers; what lies behind the last key is zero.
static void pack_keys(const int16_t *numbers, int64_t keys, int64_t width, int64_t pairs, int32_t *panels) {
    for (int64_t first = 0; first < keys; first += COLUMNS) {
        int32_t *panel = panels + first * pairs;
        for (int64_t k = 0; k < COLUMNS; k++) {
            const int16_t *from = numbers + (first + k) * width;
            if (first + k >= keys) {
                for (int64_t j = 0; j < pairs; j++) panel[j * COLUMNS + k] = 0;
            } else {
                for (int64_t j = 0; j < pairs; j++) memcpy(panel + j * COLUMNS + k, from + 2 * j, 4);
            }
        }
    }
}

// Values [keys][width] as panels [width / COLUMNS][key pairs][COLUMNS] of what two keys have in one place.
static void pack_values(const int16_t *numbers, int64_t keys, int64_t width, int64_t pairs, int16_t *panels) {
    for (int64_t first = 0; first < width; first += COLUMNS) {
        int64_t count = std::min(COLUMNS, width - first);
        for (int64_t p = 0; p < pairs; p++) {
            int16_t *to = panels + (first * pairs + p * COLUMNS) * 2;
            const int16_t *a = numbers + 2 * p * width + first, *b = a + width;
            if (2 * p + 1 < keys && count == COLUMNS) {
                for (int64_t j = 0; j < COLUMNS; j++) to[2 * j] = a[j], to[2 * j + 1] = b[j];
                continue;
            }
            for (int64_t j = 0; j < COLUMNS; j++) {
                to[2 * j] = 2 * p < keys && j < count ? a[j] : 0;
                to[2 * j + 1] = 2 * p + 1 < keys && j < count ? b[j] : 0;
            }
        }
    }
}

// Products of one query with `count` keys, a multiple of COLUMNS, become the weights of their values. It sees the first `seen`
// of them, and of these what `mask` says, unless it is null. Gives what one unit of the weighted sum stands for.
static float weigh(const int32_t *products, int64_t count, int64_t seen, const uint8_t *mask, float step, const float *key_steps,
                   const float *value_steps, float *chances, int16_t *weights) {
    const Floats unseen = repeat(-3e38f), zero = repeat(0.f);
    Floats top = unseen;
    for (int64_t j = 0; j < count; j += LANES) {
        Mask here = mask ? set_in(mask + j, seen - j) : within(seen - j);
        Floats score = to_floats(load_ints(products + j)) * repeat(step) * load(key_steps + j, seen - j);
        score = choose(here, score, unseen);
        top = larger(top, score);
        store(chances + j, score);
    }
    top = repeat(largest_of(top));
    Ints total = no_ints();
    Floats heaviest = zero;
    for (int64_t j = 0; j < count; j += LANES) {
        Floats score = load(chances + j);
        Mask here = above(score, unseen);
        Floats chance = choose(here, exponential(score - top), zero);
        total = plus(total, to_ints(chance * repeat(GRAIN)));
        chance = choose(here, chance * load(value_steps + j, seen - j), zero); // what nobody wrote may be no number
        heaviest = larger(heaviest, chance);
        store(chances + j, chance);
    }
    float most = largest_of(heaviest);
    Floats factor = repeat(most > 0.f ? MOST / most : 0.f);
    Ints sum = no_ints();
    for (int64_t j = 0; j < count; j += LANES) {
        Ints weight = to_ints(load(chances + j) * factor);
        sum = plus(sum, weight);
        store_shorts(weights + j, weight, LANES);
    }
    int64_t all = total_of(sum), chance_sum = total_of(total);
    int shift = 0;
    while (all >> shift > WEIGHTS) shift++;
    if (shift) {
        int16_t half = (int16_t)(1 << (shift - 1));
        for (int64_t j = 0; j < count; j += 2 * LANES) store_ints(weights + j, shifted(load_ints(weights + j), half, shift));
    }
    return (float)((double)most / MOST * (double)((int64_t)1 << shift) * GRAIN / (double)chance_sum);
}

// Attention of a view's queries over its row: mixed [n of the forward][heads][width].
static void attend(const Model &model, int64_t index, const View &view, const Queries &queries, float *mixed, int threads) {
    int64_t heads = model.heads, kv_heads = model.kv_heads, group = heads / kv_heads, width = model.width;
    int64_t reach = padded(view.keys, COLUMNS), pairs = queries.stride / 2, wide = padded(width, COLUMNS);
    for (int64_t kv = 0; kv < kv_heads; kv++) {
        int64_t at = (index * 2 * kv_heads + kv) * view.capacity, behind = kv_heads * view.capacity;
        int32_t *keys = scratch<4, int32_t>(reach * pairs);
        int16_t *values = scratch<5, int16_t>(reach * wide);
        pack_keys(view.numbers + at * width, view.keys, width, pairs, keys);
        pack_values(view.numbers + (at + behind) * width, view.keys, width, reach / 2, values);
        const float *key_steps = view.scales + at, *value_steps = key_steps + behind;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
        for (int64_t first = 0; first < view.n * group; first += ROWS) {
            int64_t count = std::min(ROWS, view.n * group - first), last = (first + count - 1) / group;
            int64_t seen = view.mask ? view.keys : view.keys - view.n + last + 1, near = padded(seen, COLUMNS);
            int32_t *products = scratch<6, int32_t>(ROWS * reach);
            int16_t *weights = scratch<7, int16_t>(ROWS * reach), *rows = scratch<8, int16_t>(ROWS * queries.stride);
            float *chances = scratch<9, float>(reach), units[ROWS];
            for (int64_t r = 0; r < count; r++) {
                int64_t token = view.first + (first + r) / group, head = kv * group + (first + r) % group;
                memcpy(rows + r * queries.stride, queries.numbers + (token * heads + head) * queries.stride, queries.stride * 2);
            }
            for (int64_t j = 0; j < near; j += COLUMNS)
                tile_of<Shorts>(count, rows, queries.stride * 2, keys + j * pairs, pairs, products + j, reach);
            for (int64_t r = 0; r < count; r++) {
                int64_t t = (first + r) / group, head = kv * group + (first + r) % group;
                const uint8_t *mask = view.mask ? view.mask + t * view.keys : nullptr;
                units[r] = weigh(products + r * reach, near, mask ? view.keys : view.keys - view.n + t + 1, mask,
                                 queries.steps[(view.first + t) * heads + head], key_steps, value_steps, chances, weights + r * reach);
            }
            alignas(64) int32_t sums[ROWS * COLUMNS];
            for (int64_t j = 0; j < width; j += COLUMNS) {
                tile_of<Shorts>(count, weights, reach * 2, values + j * reach, near / 2, sums, COLUMNS);
                for (int64_t r = 0; r < count; r++) {
                    int64_t token = view.first + (first + r) / group, head = kv * group + (first + r) % group;
                    float *to = mixed + (token * heads + head) * width + j;
                    for (int64_t k = 0; k < COLUMNS && j + k < width; k += LANES)
                        store(to + k, to_floats(load_ints(sums + r * COLUMNS + k)) * repeat(units[r]), width - j - k);
                }
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------- from Python

extern "C" {

// Bytes that the packed weight of a layer of this size takes.
int64_t packed_size(int64_t outputs, int64_t inputs) { return padded(outputs, COLUMNS) * padded(inputs, 4); }

// weight [outputs][inputs], float32 or bfloat16 (narrow), as a Linear wants it, in `packed` and `scales`.
void pack(const void *weight, int64_t narrow, int64_t outputs, int64_t inputs, int64_t block, uint8_t *packed, float *scales) {
    int64_t groups = padded(inputs, 4) / 4, width = padded(inputs, 64);
    std::vector<int8_t> bytes(width);
    memset(packed, OFFSET, packed_size(outputs, inputs));
    for (int64_t o = 0; o < outputs; o++) {
        float *row = scratch<3, float>(width), step;
        for (int64_t j = 0; j < width; j += LANES) {
            int64_t from = o * inputs + j;
            store(row + j, narrow ? load_bfloat16((const uint16_t *)weight + from, inputs - j) : load((const float *)weight + from, inputs - j));
        }
        int32_t sum;
        to_bytes(row, width, block, bytes.data(), &step, &sum);
        scales[o] = step / (float)block;
        uint8_t *to = packed + o / COLUMNS * COLUMNS * groups * 4 + o % COLUMNS * 4;
        for (int64_t g = 0; g < groups; g++) {
            uint32_t group;
            memcpy(&group, bytes.data() + 4 * g, 4);
            group ^= OFFSET * 0x01010101u; // adds it to each byte: it is 0 or 128
            memcpy(to + g * COLUMNS * 4, &group, 4);
        }
    }
}

// result [n][outputs] = x [n][inputs] times the layer.
void linear(const Linear *layer, const float *x, int64_t n, float *result, int64_t threads) {
    multiply(*layer, rows_of(x, layer->inputs, nullptr, 0.0, *layer, n, (int)threads), n, result, false, (int)threads);
}

// x [n][hidden]: embeddings, overwritten. cosine, sine [n][width]. chosen [count]: the tokens whose logits [count][outputs of the
// head] are wanted. Without any, the last layer ends with its keys and values.
void forward(const Model *given, const View *views, int64_t view_count, int64_t n, float *x, const float *cosine, const float *sine,
             const int32_t *chosen, int64_t count, float *logits, int64_t threads_wanted) {
    const Model &model = *given;
    int threads = (int)threads_wanted;
    int64_t hidden = model.hidden, inner = model.inner, mixed_width = model.heads * model.width, left = n;
    float *states = scratch<10, float>(n * (model.heads + 2 * model.kv_heads) * model.width);
    float *mixed = scratch<11, float>(n * mixed_width), *gate_up = scratch<12, float>(std::min(n, AT_ONCE) * 2 * inner);
    int64_t stride = padded(model.width, 2);
    Queries queries{scratch<13, int16_t>(n * model.heads * stride), scratch<14, float>(n * model.heads), stride};
    for (int64_t index = 0; index < model.count; index++) {
        const Layer &layer = model.layers[index];
        multiply(layer.qkv, rows_of(x, hidden, layer.input_norm, model.eps, layer.qkv, n, threads), n, states, false, threads);
        for (int64_t v = 0; v < view_count; v++) write_heads(model, layer, index, states, cosine, sine, views[v], queries, threads);
        bool last = index == model.count - 1;
        if (last && !count) return;
        for (int64_t v = 0; v < view_count; v++) attend(model, index, views[v], queries, mixed, threads);
        if (last) {
            float *all = mixed, *before = x;
            mixed = scratch<15, float>(count * mixed_width), x = scratch<16, float>(count * hidden), left = count;
            for (int64_t i = 0; i < count; i++) {
                memcpy(mixed + i * mixed_width, all + chosen[i] * mixed_width, mixed_width * sizeof(float));
                memcpy(x + i * hidden, before + chosen[i] * hidden, hidden * sizeof(float));
            }
        }
        multiply(layer.out, rows_of(mixed, mixed_width, nullptr, 0.0, layer.out, left, threads), left, x, true, threads);
        int64_t parts = (left + AT_ONCE - 1) / AT_ONCE, each = (left + parts - 1) / parts;
        for (int64_t first = 0; first < left; first += each) {
            int64_t some = std::min(each, left - first);
            float *part = x + first * hidden;
            multiply(layer.gate_up, rows_of(part, hidden, layer.mlp_norm, model.eps, layer.gate_up, some, threads), some, gate_up, false, threads);
            multiply(layer.down, gated_rows(gate_up, layer.down, some, threads), some, part, true, threads);
        }
    }
    multiply(model.head, rows_of(x, hidden, model.norm, model.eps, model.head, left, threads), left, logits, false, threads);
}
}
