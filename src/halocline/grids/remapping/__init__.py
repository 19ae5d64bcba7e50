"""From the points of one grid to those of another: weights, and what they are made of."""
