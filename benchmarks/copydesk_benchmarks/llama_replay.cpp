// Writes given tokens with llama.cpp, and says how long that takes: its own forwards, its own n-gram drafts, its own grammars, as
// `llama-server` uses them for one slot, but which token comes next is said by whoever asks.
//
// A request is one line of JSON on standard input, its answer one on standard output:
//   kept     tokens that are in the cache already; put there without being timed
//   prompt   tokens behind them; timed
//   gold     tokens to write; timed
//   types    kinds of speculation, as `--spec-type` names them, or null; size_n, size_m: of their n-grams and drafts
//   grammar  GBNF, or null. The model is asked under it, and its choice is replaced by the gold token.
//   free     write the model's own choices, as many as there are gold tokens
//   answer: prompt_ms, write_ms, forwards (to write), drafted, accepted
//
// A greedy choice is an argmax over the logits where there is no grammar, which is less than a server's samplers do.

#include "arg.h"
#include "build-info.h"
#include "common.h"
#include "llama.h"
#include "log.h"
#include "sampling.h"
#include "speculative.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

using json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

static const int MOST_DRAFTED = 256;

static double since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Replay {
    common_params params;
    common_init_result_ptr init;
    llama_model * model;
    llama_context * context;
    llama_tokens cached;

    explicit Replay(const common_params & given) : params(given), init(common_init_from_params(params)) {
        model = init->model();
        context = init->context();
        if (context == nullptr) {
            throw std::runtime_error("the model cannot be loaded");
        }
    }

    // Feeds tokens behind what is cached; of the last one, logits are kept.
    void feed(const llama_tokens & tokens) {
        const size_t most = llama_n_batch(context);
        for (size_t at = 0; at < tokens.size(); at += most) {
            const size_t end = std::min(tokens.size(), at + most);
            common_batch batch(context);
            for (size_t k = at; k < end; k++) {
                batch.add(tokens[k], cached.size() + k - at, 0, k + 1 == tokens.size());
            }
            process(batch);
            cached.insert(cached.end(), tokens.begin() + at, tokens.begin() + end);
        }
    }

    void process(common_batch & batch) {
        if (llama_process(context, LLAMA_PROCESS_TYPE_DECODE, batch.get()) != 0) {
            throw std::runtime_error("the tokens do not fit the context");
        }
    }

    void cut(size_t size) {
        cached.resize(size);
        llama_memory_seq_rm(llama_get_memory(context), 0, size, -1);
    }

    // The cache holds `kept` and nothing else.
    void keep(const llama_tokens & kept) {
        const size_t both = std::min(cached.size(), kept.size());
        size_t same = std::mismatch(cached.begin(), cached.begin() + both, kept.begin()).first - cached.begin();
        cut(same);
        feed(llama_tokens(kept.begin() + same, kept.end()));
    }

    llama_token likeliest(int row) {
        const float * logits = llama_get_logits_ith(context, row);
        return std::max_element(logits, logits + llama_vocab_n_tokens(llama_model_get_vocab(model))) - logits;
    }

    json answer(const json & asked) {
        const auto kept = asked.at("kept").get<llama_tokens>(), prompt = asked.at("prompt").get<llama_tokens>();
        const auto gold = asked.at("gold").get<llama_tokens>();
        const bool free = asked.value("free", false);
        keep(kept);
        llama_synchronize(context);

        const auto start = Clock::now();
        feed(prompt);
        llama_synchronize(context);
        const double prompt_ms = since(start);

        const auto begun = Clock::now();
        common_sampler_ptr sampler;
        if (asked.contains("grammar") && !asked.at("grammar").is_null()) {
            common_params_sampling sampling = params.sampling;
            sampling.grammar = common_grammar(COMMON_GRAMMAR_TYPE_USER, asked.at("grammar").get<std::string>());
            sampling.samplers = {COMMON_SAMPLER_TYPE_TOP_K};
            sampling.top_k = 1;
            sampler.reset(common_sampler_init(model, sampling));
            if (!sampler) {
                throw std::runtime_error("the grammar is none");
            }
        }
        common_speculative_ptr drafts;
        if (asked.contains("types") && !asked.at("types").is_null()) {
            common_params_speculative & spec = params.speculative;
            spec.types = common_speculative_types_from_names(asked.at("types").get<std::vector<std::string>>());
            const int n = asked.value("size_n", 12), m = asked.value("size_m", 48);
            for (auto * map : {&spec.ngram_simple, &spec.ngram_map_k, &spec.ngram_map_k4v}) {
                map->size_n = n;
                map->size_m = m;
            }
            spec.ngram_mod.n_match = n;
            spec.ngram_mod.n_max = m;
            spec.ngram_mod.n_min = std::min(m, spec.ngram_mod.n_min);
            spec.draft.n_max = m;
            drafts.reset(common_speculative_init(spec, 1));
            common_speculative_begin(drafts.get(), 0, cached);
        }

        size_t written = 0, forwards = 0, drafted = 0, accepted = 0;
        const auto choose = [&](int row) {
            llama_token chosen = sampler ? common_sampler_sample(sampler.get(), context, row) : likeliest(row);
            if (!free) {
                chosen = gold[written];
            }
            if (sampler) {
                common_sampler_accept(sampler.get(), chosen, true);
            }
            written++;
            return chosen;
        };

        llama_token last = gold.empty() ? 0 : choose(-1);
        while (written < gold.size()) {
            llama_tokens draft;
            if (drafts) {
                const int room = std::min<int>(gold.size() - written, MOST_DRAFTED);
                common_speculative_get_draft_params(drafts.get(), 0) = {true, room, (llama_pos) cached.size(), last, &cached, &draft};
                common_speculative_draft(drafts.get());
                draft.resize(std::min<size_t>(draft.size(), room));
            }
            common_batch batch(context);
            batch.add(last, cached.size(), 0, true);
            for (size_t k = 0; k < draft.size(); k++) {
                batch.add(draft[k], cached.size() + 1 + k, 0, true);
            }
            process(batch);
            if (drafts) {
                common_speculative_process(drafts.get(), batch);
            }
            forwards++;
            cached.push_back(last);
            size_t right = 0;
            for (;;) {
                last = choose(right);
                if (right == draft.size() || draft[right] != last || written == gold.size()) {
                    break;
                }
                cached.push_back(last);
                right++;
            }
            cut(cached.size());
            if (drafts) {
                common_speculative_accept(drafts.get(), 0, right);
            }
            drafted += draft.size();
            accepted += right;
        }
        const double write_ms = since(begun);
        cut(std::min(cached.size(), kept.size()));
        return {
            {"prompt_ms", prompt_ms}, {"write_ms", write_ms}, {"forwards", forwards},
            {"drafted", drafted}, {"accepted", accepted},
        };
    }
};

int main(int argc, char ** argv) {
    // What llama.cpp prints belongs to standard error.
    FILE * out = fdopen(dup(1), "w");
    dup2(2, 1);
    common_init();
    common_params params;
    if (!common_params_parse(argc, argv, params, LLAMA_EXAMPLE_SERVER)) {
        return 1;
    }
    const auto limits = common_speculative_get_output_limits(params.n_batch, 1, MOST_DRAFTED);
    params.n_parallel = 1;
    params.n_outputs_max = limits.total;
    params.n_outputs_max_per_seq = limits.per_seq;
    llama_backend_init();
    llama_numa_init(params.numa);
    Replay replay(params);
    fprintf(out, "%s\n", json{{"build", llama_build_info()}, {"system", common_params_get_system_info(params)}}.dump().c_str());
    fflush(out);
    for (std::string line; std::getline(std::cin, line);) {
        json said;
        try {
            said = replay.answer(json::parse(line));
        } catch (const std::exception & error) {
            said = {{"error", error.what()}};
        }
        fprintf(out, "%s\n", said.dump().c_str());
        fflush(out);
    }
    return 0;
}
