"""The whole application in a thread of the tests, for questions without a browser."""

import socket
import threading
from contextlib import contextmanager

import uvicorn

from inarow.ui.server.app import Server, make_app
from inarow.ui.server.guard import Guard
from inarow.ui.server.site import Site


@contextmanager
def serving(folder):
    """The address of a server for a folder; it has ended afterwards."""
    site = Site(folder)
    config = uvicorn.Config(Guard(make_app(site, warm=False)), log_level="critical", ws="none")
    server = Server(config, site)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
            site.close()
