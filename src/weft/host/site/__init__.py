"""The site profile of a computing centre: its directives, directories, interface and modules, in one file of the user."""
