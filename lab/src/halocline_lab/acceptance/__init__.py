"""What papers print, made again: their tables recomputed, their figures for any cluster."""
