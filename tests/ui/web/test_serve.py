"""The command: what does not work is said in a line, before anything is served."""

import signal
import socket
import subprocess
import sys
from inspect import signature

from inarow.ui import serve


def test_a_port_that_is_taken(run):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        status, out, err = run("serve", "--port", str(taken.getsockname()[1]))
    assert (status, out) == (2, "")
    assert err.startswith("error: cannot serve at 127.0.0.1:")
    assert "in use" in err


def test_a_host_or_folder_that_does_not_work(run, tmp_path):
    assert (
        "cannot serve at no.such.host.invalid" in run("serve", "--host", "no.such.host.invalid")[2]
    )
    assert "port 70000 does not work" in run("serve", "--port", "70000")[2]
    file = tmp_path / "file"
    file.write_text("")
    assert "is not a folder" in run("serve", "--folder", str(file))[2]


def test_it_listens_on_this_machine_alone():
    assert signature(serve.serve).parameters["host"].default == "127.0.0.1"
    listener = serve._listen("127.0.0.1", 0)
    with listener:
        assert listener.getsockname()[0] == "127.0.0.1"
    assert serve._address("0.0.0.0", 80) == "http://127.0.0.1:80"
    assert serve._address("::", 80) == "http://[::1]:80"


def test_other_commands_do_not_wait_for_the_browser_part():
    code = "import sys, inarow.ui.main; sys.exit('nicegui' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_signal_ends_it(server_process):
    process, _ = server_process()
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=20) in (0, -signal.SIGTERM, 128 + signal.SIGTERM)
