"""Copied into the environments of ipykernel 7.0 to 7.3, whose kernels may leave a request unread for ever.

A reply is sent past the stream that reads requests from the same socket, and can take away its wake-up; plain cells hang so,
too, within some hundred. From 7.4 on it is mended (ipython/ipykernel#1529). Here the stream looks again after each reply,
so that what is tested on these versions is what is ours.
"""

from __future__ import annotations

import sys
from typing import Any

if any("ipykernel_launcher" in argument for argument in sys.orig_argv):
    import zmq
    from ipykernel.kernelapp import IPKernelApp
    from ipykernel.subshell_manager import SubshellManager

    _manager: Any = SubshellManager
    _send = _manager._send_on_shell_channel

    def _send_and_look(self: Any, message: Any) -> None:
        _send(self, message)
        kernel: Any = IPKernelApp.instance().kernel
        kernel.shell_stream.flush(zmq.POLLIN)

    _manager._send_on_shell_channel = _send_and_look
