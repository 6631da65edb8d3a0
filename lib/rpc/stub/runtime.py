"""Tools of Hermes for this script. Each returns its result as a dict; one that could not do its work has the key "error"."""
from __future__ import annotations

import os
from _thread import allocate_lock as _new_lock


class ToolError(Exception):
    """A call that was not made: not allowed, no connection, arguments that are not JSON. See also raise_errors()."""


class ToolLimitError(ToolError):
    """The script has used up its tool calls; every further call fails the same way."""


def raise_errors(on: bool = True) -> None:
    """From now on a result with "error" raises ToolError instead of being returned."""
    global _raises
    _raises = on


def json_parse(text):
    """JSON text as a value. Raw line ends inside strings are fine; what is a value already is returned as it is."""
    import json
    return json.loads(text, strict=False) if isinstance(text, (str, bytes, bytearray)) else text


def shell_quote(text) -> str:
    """One word of a shell command."""
    import shlex
    return shlex.quote(str(text))


def retry(action, max_attempts: int = 3, delay: float = 2):
    """Calls action() until it raises nothing; waits delay, 2 * delay, 4 * delay … seconds in between."""
    import time
    for attempt in range(max_attempts):
        try:
            return action()
        except ToolLimitError:
            raise
        except Exception:
            if attempt + 1 >= max_attempts:
                raise
            time.sleep(delay * 2 ** attempt)
    raise ValueError("max_attempts must be 1 or more")


_raises = False
_lock = _new_lock()
_link = None
_calls = 0
_most_at_once = 8


def _call(_tool, **arguments):
    import json
    global _link, _calls
    given = {name: value for name, value in arguments.items() if value is not None}
    with _lock:
        if _link is None:
            _link = _connect()
        link = _link
        _calls += 1
        number = _calls
    try:
        body = json.dumps({"id": number, "tool": _tool, "args": given}).encode("utf-8")
    except (TypeError, ValueError) as error:
        raise ToolError("%s: its arguments cannot be written as JSON: %s" % (_tool, error)) from None
    try:
        answer = json.loads(link.exchange(body).decode("utf-8"))
    except OSError as error:
        raise ToolError("%s: Hermes cannot be reached any more: %s" % (_tool, error)) from error
    if answer.get("id") != number:
        raise ToolError("%s: the answer belongs to another call" % _tool)
    if not answer.get("ok"):
        kind = ToolLimitError if answer.get("kind") == "limit" else ToolError
        raise kind(answer.get("error") or "the call failed")
    result = answer.get("result")
    if _raises and isinstance(result, dict) and result.get("error"):
        raise ToolError(str(result["error"]))
    return result


def _connect():
    folder = os.environ.get("HERMES_RPC_DIR")
    if folder:
        return _Files(folder)
    address = os.environ.get("HERMES_RPC_SOCKET")
    if not address:
        raise ToolError("this script was not started by Hermes: HERMES_RPC_SOCKET is not set")
    return _Sockets(address, os.environ.get("HERMES_RPC_TOKEN", ""))


def _forget():
    """A forked child has connections and locks of its own."""
    global _lock, _link
    _lock = _new_lock()
    _link = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


class _Sockets(object):
    """One connection for each call under way; a connection that is free again is used by the next."""

    def __init__(self, address, token):
        import threading
        self.address, self.token = address, token
        self.free = []
        self.room = threading.BoundedSemaphore(_most_at_once)

    def exchange(self, body):
        with self.room:
            connection = self.take() or self.connect()
            try:
                self.send(connection, body)
                answer = self.read(connection, int.from_bytes(self.read(connection, 4), "big"))
            except BaseException:
                # Its answer may still come, and must not be taken for that of the next call.
                connection.close()
                raise
            self.free.append(connection)
            return answer

    def take(self):
        try:
            return self.free.pop()
        except IndexError:
            return None

    def connect(self):
        import socket
        if self.address.startswith("tcp://"):
            host, _, port = self.address[6:].rpartition(":")
            connection = socket.create_connection((host, int(port)))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        else:
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(self.address)
            except BaseException:
                connection.close()
                raise
        self.send(connection, self.token.encode("ascii"))
        return connection

    def send(self, connection, body):
        connection.sendall(len(body).to_bytes(4, "big") + body)

    def read(self, connection, count):
        parts = []
        while count:
            part = connection.recv(min(count, 1 << 20))
            if not part:
                raise ConnectionError("it has closed the connection")
            parts.append(part)
            count -= len(part)
        return b"".join(parts)


class _Files(object):
    """Where there is no socket: a request is a file, its answer another."""

    def __init__(self, folder):
        self.folder = folder

    def exchange(self, body):
        import time
        name = os.path.join(self.folder, "%s%d" % (os.urandom(8).hex(), os.getpid()))
        try:
            with open(name + ".part", "wb") as file:
                file.write(body)
            os.rename(name + ".part", name + ".request")
        except BaseException:
            if os.path.exists(name + ".part"):
                os.unlink(name + ".part")
            raise
        wait = 0.005
        while True:
            try:
                with open(name + ".answer", "rb") as file:
                    answer = file.read()
                os.unlink(name + ".answer")
                return answer
            except FileNotFoundError:
                pass
            if os.path.exists(name + ".lost"):
                raise OSError("the answer could not be written in " + self.folder)
            if not os.path.isdir(self.folder):
                raise OSError(self.folder + " is gone")
            time.sleep(wait)
            wait = min(wait * 1.5, 0.25)
