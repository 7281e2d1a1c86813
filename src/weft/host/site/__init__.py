"""What a centre's machine is like: its directives, directories, interface and modules, kept in one file of the user's."""
