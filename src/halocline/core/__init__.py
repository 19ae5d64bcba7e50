"""Constants, units, names, calendar, options and errors."""
