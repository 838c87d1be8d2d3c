"""Streams of batches watched against one reference, with bounds that hold at all times at once."""
