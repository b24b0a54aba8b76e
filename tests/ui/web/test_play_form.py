"""The form of the page Play goes with its page."""

import asyncio
import gc
import weakref

from nicegui import core, ui
from nicegui.client import Client

from inarow.ui.web.play_form import Form
from inarow.ui.web.session import Session
from inarow.ui.web.site import Site


def test_nothing_keeps_the_form_of_a_page_that_is_gone(tmp_path, monkeypatch):
    """FastAPI remembers functions of routes; by one for uploads it kept all that a visitor had."""
    site = Site(tmp_path)

    async def open_and_close():
        monkeypatch.setattr(core, "loop", asyncio.get_running_loop())
        session = Session(site.executors, tmp_path)
        client = Client(ui.page("/test-of-the-form"), request=None)
        with client:
            form = Form(session, site)
        client.delete()
        return weakref.ref(form), weakref.ref(session)

    held = asyncio.run(open_and_close())
    gc.collect()
    assert [thing() for thing in held] == [None, None]
    site.close()
