"""The `slantwood` command: one file per subcommand, which loads what it needs when it runs."""
