"""voirdire examines an LLM judge against every human label before its verdicts are trusted."""
