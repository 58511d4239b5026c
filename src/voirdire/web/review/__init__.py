"""Pages of expert review, one module for those who enter, raters, organisers and panels."""
