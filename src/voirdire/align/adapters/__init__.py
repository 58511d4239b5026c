"""One adapter a kind of judge output: what it said, as numbers a calibrator can use."""
