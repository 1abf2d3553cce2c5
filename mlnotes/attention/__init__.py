"""Attention, from one query that averages values to a Transformer."""
