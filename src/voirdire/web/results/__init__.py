"""Pages of a judged benchmark's results: written as files that need no server, or served as they are asked for."""
