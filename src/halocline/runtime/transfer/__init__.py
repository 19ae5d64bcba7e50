"""Moving values between layouts, ranks and places of one grid."""
