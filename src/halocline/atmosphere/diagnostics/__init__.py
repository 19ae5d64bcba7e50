"""What users read from the atmosphere: functions of columns, arrays [k][j][i] with k upward."""
