"""Each benchmark as a step of `copydesk bench`: what it needs, measured by `copydesk_benchmarks`, as a report."""
