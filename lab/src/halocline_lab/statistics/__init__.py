"""What measured numbers tell: costs, comparisons, verdicts."""
