"""What is counted of runs: how they advance, what is journaled, what models are asked."""

from sanbo.kernel.metrics import Counter, Histogram
from sanbo.llm.usage import Call

QUICK = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
LONG = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)

STARTED = Counter("sanbo_runs_started_total", "Runs that began here.", "workflow")
ENDED = Counter("sanbo_runs_ended_total", "Runs that ended here.", "workflow", "status")
SEGMENTS = Counter(
    "sanbo_segments_total", "Stretches in which a run advanced here, by their end.", "outcome"
)
PLACEMENT = Histogram(
    "sanbo_placement_seconds",
    "From giving a run to the cluster until a worker has it.",
    QUICK,
)
LEASES_LOST = Counter(
    "sanbo_leases_lost_total", "Runs that another process took over while they advanced here."
)
TAKEN_UP = Counter("sanbo_runs_taken_up_total", "Runs that nobody alive advanced, taken up here.")
EVENTS = Counter("sanbo_journal_events_total", "Events that were stored by those who advance runs.")
APPEND = Histogram("sanbo_journal_append_seconds", "How long it takes to store events.", QUICK)
CALLS = Counter("sanbo_model_calls_total", "Requests to models.", "provider", "model", "outcome")
TOKENS = Counter(
    "sanbo_model_tokens_total", "Tokens read and written.", "provider", "model", "kind"
)
COST = Counter("sanbo_model_cost_usd_total", "What is known of the cost.", "provider", "model")
CALL_SECONDS = Histogram("sanbo_model_call_seconds", "How long models take.", LONG)


def count_call(call: Call) -> None:
    CALLS.add(call.provider, call.model, call.outcome)
    TOKENS.add(call.provider, call.model, "input", by=call.input_tokens)
    TOKENS.add(call.provider, call.model, "output", by=call.output_tokens)
    if call.cost_usd is not None:
        COST.add(call.provider, call.model, by=call.cost_usd)
    CALL_SECONDS.observe(call.duration_ms / 1000)
