"""What people and machines produce while the tool runs: one SQL store, SQLite or PostgreSQL."""
