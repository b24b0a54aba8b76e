"""Players: by name, by protocol, from outside the package, and those that come with it."""
