"""``python -m rocstar.cli``."""

from rocstar.cli import main

main()
