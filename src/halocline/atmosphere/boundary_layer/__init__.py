"""What air and ground exchange, and how turbulence mixes it."""
