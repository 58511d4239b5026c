"""A judged benchmark: from an expert's metric to audited rates and labels."""
