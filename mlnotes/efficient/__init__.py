"""Attention at less cost: what is kept, left out, shared, rounded, or computed in another order."""
