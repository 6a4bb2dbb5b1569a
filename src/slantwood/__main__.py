"""Makes `python -m slantwood` the same as the `slantwood` command."""

from slantwood.cli.main import main

if __name__ == "__main__":
    main()
