"""The guards of the test suite itself work: no test can reach another machine by accident."""

from __future__ import annotations

import socket

import pytest

from tests import conftest


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1", "example.com"])
def test_a_connection_to_another_machine_is_refused_and_counted(host: str):
    with pytest.raises(conftest.OffMachine, match="only talk to this machine"):
        socket.create_connection((host, 80), timeout=1)
    assert conftest._off_machine
    conftest._off_machine.clear()


def test_a_name_that_cannot_exist_fails_as_dns_does():
    with pytest.raises(socket.gaierror):
        socket.create_connection(("no-such-host.invalid", 80), timeout=1)


def test_loopback_is_open():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=1).close()
