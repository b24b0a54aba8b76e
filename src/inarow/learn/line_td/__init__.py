"""TD on features of lines that symmetric lines share."""
