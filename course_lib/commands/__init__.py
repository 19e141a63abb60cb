"""One module per `course` command, imported when the command is given."""
