"""The pages: expert review in the browser."""
