"""What a record tells: states, waits, efficiencies, faults and advice."""
