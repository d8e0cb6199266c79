"""The pure core: values in, values out; no file, socket, clock, log, thread or randomness."""
