"""``python -m rocstar``: the command line."""

from rocstar.cli import main

main()
