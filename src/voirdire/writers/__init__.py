"""Writers: one file an export, entered in the registry by what it writes."""
