"""Global sums with the same bits in any order, in many ways."""
