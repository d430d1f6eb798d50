"""What knows nothing of its callers: errors, paths, files, programs, texts."""
