"""What holds for all tests."""

import signal

# Some tests press ctrl-C in programs that they start. Where the tests themselves run in the
# background, a shell lets them and all they start ignore it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
