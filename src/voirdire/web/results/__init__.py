"""Pages of a judged benchmark's results, as files that need no server or served as they are asked for."""
