"""The gate: a policy of thresholds that a study passes, fails or cannot decide yet."""
