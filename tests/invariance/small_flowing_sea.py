"""The small ocean over water that moves and rises, run in many ways; prints one hash per way."""

from small_ocean import main, moving

if __name__ == "__main__":
    main({}, **moving)
