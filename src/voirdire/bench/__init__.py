"""The judged benchmark: an expert's metrics, simulated conversations, verdicts, rates and label cards."""
