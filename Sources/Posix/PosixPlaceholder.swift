// Placeholder until this target has its first file.
