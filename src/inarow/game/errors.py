"""The one error for input that a person can put right."""


class InputError(ValueError):
    """Bad input, said in one line that names what would be right.

    The command line prints it and exits with status 2; a program catches it as a ValueError.
    """
