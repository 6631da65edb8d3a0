"""Starts processes and moves bytes for a host at the other end of standard input and output.

One thread, one poll loop. Python 3.6 and later, standard library only; what a minimal Python may lack (ctypes, tarfile,
socket) is imported where it is used. Frames and their order are described in frames.ts.
"""

import errno
import heapq
import os
import select
import struct
import sys
import time

try:
    import _signal as signal  # The public module costs 2 ms of enums.
except ImportError:
    import signal

VERSION = 1
HEADER = struct.Struct(">IBI")
U32 = struct.Struct(">I")

# From the host.
START, DATA, DATA_END, WINDOW, KILL, RESIZE, LISTEN, CLOSE, FILE, PING = range(1, 11)
# To the host.
HELLO, STARTED, FAILED, OUT, CONTROL, OUT_END, CONTROL_END, EXIT, CREDIT, DONE, OPEN, CLOSED, INPUT_CLOSED = range(1, 14)

# Flags of START.
HAS_INPUT, ON_TERMINAL, APART, BACKGROUND, NEAREST, INHERIT = 1, 2, 4, 8, 16, 32
# What is started.
PROGRAM, TAR_CREATE, TAR_EXTRACT = 0, 1, 2
# Why nothing was started, or an operation failed.
NOT_FOUND, NOT_EXECUTABLE, REFUSED, NO_FOLDER, LOST, CANCELLED, FILE_ERROR = range(1, 8)
# Capabilities.
CAN_SPAWN, CAN_ADOPT, CAN_LOOK, CAN_TAR, CAN_LISTEN, CAN_TERMINAL = 1, 2, 4, 8, 16, 32

LONGEST_FRAME = 8 << 20
CHUNK, SMALL, WIDE_PIPE = 1 << 16, 1 << 12, 1 << 20
WINDOW_SIZE = 1 << 20
HIGH, LOW = 1 << 18, 1 << 16
FIRST_CONNECTION = 1 << 31
MOST_CONNECTIONS = 128

POLL_IN, POLL_OUT = 1, 4
F_SETPIPE_SZ = 1031
ASKED_SECONDS, FORCED_SECONDS, TICK = 1.0, 2.0, 0.015
LEAVE_ASKED_SECONDS, LEAVE_SECONDS = 0.2, 0.8
LINGER_SECONDS, LINGER_TICK, LINGER_BYTES, LINGER_BLINDLY_SECONDS = 0.25, 0.002, 1 << 20, 0.06
STUCK_SECONDS, QUEUE_TICK, DEADLINE_TICK = 2.0, 0.02, 0.25

MARKS = (b"HERMES_RUN=", b"HERMES_CALL=")
DISABLED = frozenset(sys.argv[1:])
PROC = os.path.isdir("/proc/self") and "proc" not in DISABLED
SCARCE = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
now = time.monotonic


# --- The loop: descriptors, timers, and what has no descriptor -------------------------------------------------------------

class Loop(object):
    def __init__(self):
        self.is_epoll = hasattr(select, "epoll") and "epoll" not in DISABLED
        self.poller = select.epoll() if self.is_epoll else select.poll()
        self.handlers = {}
        self.timers = []
        self.count = 0
        self.woke_at = 0.0
        self.pumps = set()

    def watch(self, fd, mask, handler):
        self.handlers[fd] = handler
        self.poller.register(fd, mask)

    def forget(self, fd):
        if self.handlers.pop(fd, None) is not None:
            self.poller.unregister(fd)

    def after(self, seconds, action):
        self.count += 1
        heapq.heappush(self.timers, (now() + seconds, self.count, action))

    def wait(self):
        timeout = None
        if self.timers:
            timeout = max(0.0, self.timers[0][0] - now())
        if any(pump.is_ready() for pump in self.pumps):
            timeout = 0
        if self.is_epoll:
            ready = self.poller.poll(-1 if timeout is None else timeout)
        else:
            ready = self.poller.poll(None if timeout is None else int(timeout * 1000 + 0.999))
        self.woke_at = now()
        return ready

    def run_timers(self):
        while self.timers and self.timers[0][0] <= now():
            heapq.heappop(self.timers)[2]()

    def run_pumps(self):
        for pump in list(self.pumps):
            if pump.is_ready():
                pump.step()


# --- The wire --------------------------------------------------------------------------------------------------------------

class Wire(object):
    """Frames over the descriptors this process was started with, which no child ever sees."""

    def __init__(self):
        self.input, self.output = high_copy(0), high_copy(1)
        self.null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1):
            os.dup2(self.null, fd)
        for fd in (self.input, self.output):
            os.set_blocking(fd, False)
        self.frames = []
        self.queued = 0
        self.is_watched = False
        self.received = bytearray()
        self.stalled = set()

    def send(self, kind, number, body=b""):
        header = HEADER.pack(len(body), kind, number)
        if len(body) < SMALL:
            self.frames.append(header + body)
        else:
            self.frames += (header, body)
        self.queued += HEADER.size + len(body)

    def flush(self, _mask=0):
        while self.frames:
            try:
                written = os.writev(self.output, self.frames[:64])
            except BlockingIOError:
                break
            self.queued -= written
            done = 0
            while written and written >= len(self.frames[done]):
                written -= len(self.frames[done])
                done += 1
            del self.frames[:done]
            if written:
                self.frames[0] = self.frames[0][written:]
        if bool(self.frames) != self.is_watched:
            self.is_watched = bool(self.frames)
            if self.is_watched:
                loop.watch(self.output, POLL_OUT, self.flush)
            else:
                loop.forget(self.output)
        if self.stalled and self.queued < LOW:
            for stream in list(self.stalled):
                stream.resume()

    def read(self, _mask):
        try:
            data = os.read(self.input, 1 << 18)
        except BlockingIOError:
            return
        if not data:
            leave()
        self.received.extend(data)
        at = 0
        while len(self.received) - at >= HEADER.size:
            length, kind, number = HEADER.unpack_from(self.received, at)
            if length > LONGEST_FRAME:
                leave()
            end = at + HEADER.size + length
            if len(self.received) < end:
                break
            handle(kind, number, bytes(self.received[at + HEADER.size:end]))
            at = end
        del self.received[:at]


def high_copy(fd):
    import fcntl
    for lowest in (200, 3):
        try:
            return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, lowest)
        except OSError:
            pass  # The limit of descriptors may be lower.
    raise SystemExit("no descriptor is left")


class Reader(object):
    """Takes a frame's body apart."""

    def __init__(self, body):
        self.body, self.at = body, 0

    def number(self, form=">I"):
        value, = struct.unpack_from(form, self.body, self.at)
        self.at += struct.calcsize(form)
        return value

    def text(self):
        length = self.number()
        value = self.body[self.at:self.at + length]
        if len(value) != length:
            raise ValueError("a frame is too short")
        self.at += length
        return value

    def texts(self):
        return [self.text() for _ in range(self.number())]


# --- Bytes to the host -----------------------------------------------------------------------------------------------------

class Stream(object):
    """Bytes from a descriptor to the host, as many as it has room for. After `detach` they are read and dropped."""

    def __init__(self, fd, number, kinds, on_end):
        self.fd, self.number, self.on_end = fd, number, on_end
        self.kind, self.end_kind = kinds
        self.window = WINDOW_SIZE
        self.is_detached = self.is_watched = self.is_wide = False
        self.full = 0  # Chunks in a row that were as long as they can be.
        self.left = None  # What must still come once the process has ended.
        self.linger_from = 0.0
        self.is_looking = False
        self.look_after = LINGER_TICK
        self.holder = None
        os.set_blocking(fd, False)
        self.resume()

    def is_ready(self):
        return self.is_detached or (self.window > 0 and wire.queued < HIGH)

    def resume(self):
        wire.stalled.discard(self)
        if self.fd is None:
            return
        if not self.is_ready():
            wire.stalled.add(self)
        elif not self.is_watched:
            self.is_watched = True
            loop.watch(self.fd, POLL_IN, self.on_readable)
            if self.left is not None and not self.is_detached:
                self.look_later()  # Its process has ended: perhaps nothing comes any more.

    def pause(self):
        if self.is_watched:
            self.is_watched = False
            loop.forget(self.fd)
        wire.stalled.add(self)

    def on_readable(self, _mask):
        if self.left is not None and not self.is_detached:
            self.settle()
        elif not self.is_ready():
            self.pause()
        elif self.read() and self.is_wide:
            for _ in range(3):
                if not self.is_ready() or not self.read():
                    break

    def widen(self):
        """Who writes a lot is not made to wait for every 64 KB; all pipes together are limited, so others stay as they are."""
        self.is_wide = True
        try:
            import fcntl
            fcntl.fcntl(self.fd, F_SETPIPE_SZ, WIDE_PIPE)
        except OSError:
            pass  # No pipe, no Linux, or no room.

    def read(self):
        """Passes on one chunk; false at the end or when there is none."""
        try:
            data = os.read(self.fd, CHUNK if self.is_detached else min(CHUNK, self.window))
        except BlockingIOError:
            return False
        except OSError:
            data = b""  # EIO: nobody holds the terminal any more.
        if not data:
            self.close()
            return False
        if not self.is_detached:
            wire.send(self.kind, self.number, data)
            self.window -= len(data)
            self.full = self.full + 1 if len(data) == CHUNK else 0
            if self.full == 8 and not self.is_wide:
                self.widen()
            if self.left is not None:
                self.left -= len(data)
        return True

    def process_ended(self, job):
        """What it wrote is in the pipe now; whoever else holds it need not be waited for."""
        self.holder = job
        self.left = readable_bytes(self.fd)
        self.linger_from = now()
        self.settle()

    def settle(self):
        while self.left > 0 or (self.left > -LINGER_BYTES and now() < self.linger_from + LINGER_SECONDS):
            if not self.is_ready():
                self.pause()
                return
            if self.read():
                continue
            if self.fd is None:
                return
            # A `tee` that was fed by the process is running now, or has ended; a server sleeps.
            if self.holder.terminal or is_busy(self.holder.pid, self.linger_from):
                self.look_later()
                return
            # Looking takes long where many processes are: one that was running when it began may have written and be gone.
            if not self.read():
                break
        if self.fd is not None:
            self.detach()

    def look_later(self):
        if not self.is_looking:
            self.is_looking = True
            loop.after(self.look_after, self.look_again)
            self.look_after *= 1.5

    def look_again(self):
        self.is_looking = False
        if self.fd is not None and not self.is_detached:
            self.settle()

    def detach(self):
        self.is_detached = True
        self.finish()
        leftovers.add(self)
        self.resume()

    def finish(self):
        if self.on_end is not None:
            wire.send(self.end_kind, self.number)
            on_end, self.on_end = self.on_end, None
            on_end(self)

    def close(self):
        wire.stalled.discard(self)
        leftovers.discard(self)
        if self.fd is None:
            return
        if self.is_watched:
            loop.forget(self.fd)
        os.close(self.fd)
        self.fd = None
        self.finish()


class Pump(object):
    """Bytes to the host from a generator: a file, a listing, the state that a shell left."""

    def __init__(self, chunks, number, kinds, on_end):
        self.chunks, self.number, self.on_end = chunks, number, on_end
        self.kind, self.end_kind = kinds
        self.window = WINDOW_SIZE
        loop.pumps.add(self)

    def is_ready(self):
        return self.window > 0 and wire.queued < HIGH

    def resume(self):
        pass

    def process_ended(self, job):
        pass

    def step(self):
        try:
            data = next(self.chunks, b"")
        except OSError as error:
            fail(self.number, FILE_ERROR, error)
            self.close(False)
            return
        if data:
            wire.send(self.kind, self.number, data)
            self.window -= len(data)
        else:
            self.close(True)

    def close(self, is_whole=False):
        loop.pumps.discard(self)
        self.chunks.close()
        if is_whole:
            wire.send(self.end_kind, self.number)
        on_end, self.on_end = self.on_end, None
        if on_end is not None:
            on_end(self)


def readable_bytes(fd):
    import fcntl
    import termios
    try:
        return struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0"))[0]
    except OSError:
        return 0


# --- Bytes from the host ---------------------------------------------------------------------------------------------------

class Input(object):
    """Bytes from the host to a descriptor; written bytes are room for more."""

    def __init__(self, fd, number, on_end=None):
        self.fd, self.number, self.on_end = fd, number, on_end
        self.queue = bytearray()
        self.is_ended = self.is_watched = False
        os.set_blocking(fd, False)

    def push(self, data):
        if self.fd is not None:
            self.queue += data
            self.write()

    def end(self):
        self.is_ended = True
        if self.fd is not None:
            self.write()

    def write(self, _mask=0):
        try:
            while self.queue:
                count = os.write(self.fd, self.queue[:CHUNK])
                del self.queue[:count]
                wire.send(CREDIT, self.number, U32.pack(count))
        except BlockingIOError:
            if not self.is_watched:
                self.is_watched = True
                loop.watch(self.fd, POLL_OUT, self.write)
            return
        except OSError:
            wire.send(INPUT_CLOSED, self.number)
            self.close()
            return
        if self.is_watched:
            self.is_watched = False
            loop.forget(self.fd)
        if self.is_ended:
            self.close()

    def close(self):
        if self.fd is None:
            return
        if self.is_watched:
            loop.forget(self.fd)
        fd, self.fd = self.fd, None
        self.queue = bytearray()
        if self.on_end is not None:
            self.on_end(fd)
        os.close(fd)


def end_terminal_input(fd):
    try:
        os.write(fd, b"\x04")
    except OSError:
        pass  # Nobody reads it any more.


# --- Processes -------------------------------------------------------------------------------------------------------------

class Job(object):
    """A process that was started for the host."""

    def __init__(self, number, plan):
        self.number, self.plan = number, plan
        self.marks, self.terminal = plan.marks, bool(plan.flags & ON_TERMINAL)
        self.is_background = bool(plan.flags & BACKGROUND)
        self.pid = self.status = self.input = self.deadline = None
        self.streams = {}

    def stream_ended(self, stream):
        self.streams.pop(stream.kind, None)
        self.let_go()

    def ended(self, status):
        global last_end
        last_end = now()
        self.status = status
        if self.input is not None:
            self.input.on_end = None
            self.input.close()
        if self.plan.state:
            pump = Pump(state_chunks(self.plan.state), self.number, (CONTROL, CONTROL_END), self.stream_ended)
            self.streams[CONTROL] = pump
            while pump.is_ready() and pump in loop.pumps:
                pump.step()
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
        wire.send(EXIT, self.number, struct.pack(">i", code))
        for stream in list(self.streams.values()):
            stream.process_ended(self)
        self.let_go()

    def let_go(self):
        if self.status is not None and not self.streams:
            jobs.pop(self.number, None)


class Plan(object):
    """What START asked for."""

    def __init__(self, number, body):
        reader = Reader(body)
        self.number, self.since = number, now()
        self.what, self.flags = reader.number(">B"), reader.number(">B")
        self.deadline = reader.number() / 1000.0
        self.columns, self.rows = reader.number(">H"), reader.number(">H")
        self.arguments, self.variables, self.marks = reader.texts(), reader.texts(), reader.texts()
        self.folder, self.needs, self.state = reader.text(), reader.text(), reader.text()


def state_chunks(path):
    fd = None
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        os.unlink(path)
        while True:
            data = os.read(fd, CHUNK)
            if not data:
                return
            yield data
    except OSError:
        pass  # A shell that was killed leaves nothing.
    finally:
        if fd is not None:
            os.close(fd)


def request_start(number, body):
    queue.append(Plan(number, body))
    if len(queue) == 1:
        start_waiting()


def start_waiting():
    """Starts what waits, in order, as long as the system has processes left."""
    while queue:
        plan = queue[0]
        is_stuck = now() - max(last_end, plan.since) > STUCK_SECONDS
        if not jobs or is_stuck or has_room():
            try:
                start(plan)
            except OSError as error:
                if error.errno not in SCARCE or not jobs:
                    fail(plan.number, REFUSED, error)
                    queue.pop(0)
                    continue
            else:
                queue.pop(0)
                continue
        start_later()
        return


def start_later():
    global is_starting_later
    if not is_starting_later:
        is_starting_later = True
        loop.after(QUEUE_TICK, start_now)


def start_now():
    global is_starting_later
    is_starting_later = False
    start_waiting()


def start(plan):
    """Raises OSError when the system itself is short of something."""
    global latest_snapshot
    latest_snapshot = None
    found = find_folder(plan)
    if found is None:
        fail(plan.number, NO_FOLDER, "there is no such folder")
        return
    # Now: the process itself may remove it.
    folder = os.getcwdb() if plan.flags & NEAREST or plan.state else b""
    if plan.needs and not os.path.exists(plan.needs):
        fail(plan.number, LOST, "a file of the session is gone")
        return
    if plan.state:
        os.makedirs(os.path.dirname(plan.state), 0o700, exist_ok=True)
    if plan.deadline:
        watch_deadlines()
    program = None
    environment = dict(own_environment) if plan.flags & INHERIT else {}
    environment.update(text.split(b"=", 1) for text in plan.variables + plan.marks)
    if plan.what == PROGRAM:
        program = find_program(plan.arguments[0], environment)
        if program is None:
            fail(plan.number, NOT_FOUND, "not found")
            return
    job = Job(plan.number, plan)
    ends = Ends(plan)
    try:
        job.pid = spawn(plan, program, environment, ends)
    except OSError as error:
        ends.close_all()
        if error.errno in SCARCE:
            raise
        fail(plan.number, NOT_FOUND if error.errno == errno.ENOENT else NOT_EXECUTABLE, error)
        return
    except (ValueError, ImportError) as error:
        ends.close_all()
        fail(plan.number, NOT_EXECUTABLE, error)
        return
    ends.close_theirs()
    wire.send(STARTED, plan.number, struct.pack(">IB", job.pid, found) + folder)
    jobs[plan.number] = by_pid[job.pid] = job
    job.streams[OUT] = Stream(ends.output, plan.number, (OUT, OUT_END), job.stream_ended)
    if ends.control is not None:
        job.streams[CONTROL] = Stream(ends.control, plan.number, (CONTROL, CONTROL_END), job.stream_ended)
    if ends.input is not None:
        job.input = Input(ends.input, plan.number, end_terminal_input if job.terminal else None)
    if plan.deadline:
        job.deadline = now() + plan.deadline
    # Where this process is, nobody can unmount.
    os.chdir("/")


def watch_deadlines():
    global is_watching_deadlines
    if not is_watching_deadlines:
        is_watching_deadlines = True
        loop.after(DEADLINE_TICK, end_overdue)


def end_overdue():
    global is_watching_deadlines
    is_watching_deadlines = False
    for job in list(by_pid.values()):
        if job.deadline is None:
            continue
        watch_deadlines()
        if now() >= job.deadline:
            job.deadline = None
            Ending(job.pid, job.marks, True)


def find_folder(plan):
    """Moves there. Whether it is the wanted folder; None when there is none."""
    folder, is_wanted = plan.folder, True
    while True:
        try:
            os.chdir(folder)
            return is_wanted
        except OSError:
            above = os.path.dirname(folder)
            if not plan.flags & NEAREST or above == folder or not above:
                return None
            folder, is_wanted = above, False


def find_program(name, environment):
    if b"/" in name:
        return name
    unusable = None
    for folder in environment.get(b"PATH", os.fsencode(os.defpath)).split(b":"):
        path = os.path.join(folder or b".", name)
        if os.path.isfile(path):
            if os.access(path, os.X_OK):
                return path
            unusable = unusable or path
    return unusable


class Ends(object):
    """The descriptors of one start: ours, and those of the child."""

    def __init__(self, plan):
        self.input = self.output = self.control = self.terminal = None
        self.theirs = []
        self.actions = {}
        try:
            if plan.flags & ON_TERMINAL:
                self.open_terminal(plan)
            else:
                self.open_pipes(plan)
        except OSError:
            self.close_all()
            raise

    def open_terminal(self, plan):
        import fcntl
        import termios
        self.output, slave = os.openpty()
        self.theirs.append(slave)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", plan.rows, plan.columns, 0, 0))
        self.terminal = os.ttyname(slave)
        self.input = os.dup(self.output)

    def open_pipes(self, plan):
        self.output, writer = os.pipe()
        self.theirs.append(writer)
        self.actions = {0: wire.null, 1: writer, 2: writer}
        if plan.flags & APART:
            self.control, self.actions[2] = os.pipe()
            self.theirs.append(self.actions[2])
        if plan.flags & HAS_INPUT:
            self.actions[0], self.input = os.pipe()
            self.theirs.append(self.actions[0])

    def close_theirs(self):
        for fd in self.theirs:
            os.close(fd)

    def close_all(self):
        self.close_theirs()
        for fd in (self.input, self.output, self.control):
            if fd is not None:
                os.close(fd)


def usual_signals():
    names = ("SIGPIPE", "SIGXFSZ", "SIGCHLD", "SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM")
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


def spawn(plan, program, environment, ends):
    global can_spawn
    if plan.what != PROGRAM:
        return spawn_tar(plan, ends)
    if can_spawn:
        actions = [(os.POSIX_SPAWN_DUP2, theirs, fd) for fd, theirs in ends.actions.items()]
        if ends.terminal is not None:
            # The first terminal that a session's leader opens becomes its own.
            actions = [(os.POSIX_SPAWN_OPEN, 0, ends.terminal, os.O_RDWR, 0)]
            actions += [(os.POSIX_SPAWN_DUP2, 0, fd) for fd in (1, 2)]
        try:
            return os.posix_spawn(program, plan.arguments, environment, file_actions=actions, setsid=True,
                                  setsigdef=usual_signals())
        except NotImplementedError:
            can_spawn = False
    return spawn_by_fork(lambda: os.execve(program, plan.arguments, environment), ends)


def spawn_by_fork(action, ends):
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            for number in usual_signals():
                signal.signal(number, signal.SIG_DFL)
            take_ends(ends)
            action()
        except OSError as error:
            os.write(writer, U32.pack(error.errno or errno.EINVAL))
        finally:
            os._exit(127)
    os.close(writer)
    failed = os.read(reader, 4)
    os.close(reader)
    if failed:
        os.waitpid(pid, 0)
        number, = U32.unpack(failed)
        raise OSError(number, os.strerror(number))
    return pid


def take_ends(ends):
    if ends.terminal is not None:
        terminal = os.open(ends.terminal, os.O_RDWR)
        ends.actions = {0: terminal, 1: terminal, 2: terminal}
    for fd, theirs in ends.actions.items():
        os.dup2(theirs, fd)


def spawn_tar(plan, ends):
    """An archive is made or unpacked by a copy of this process, so that the loop never waits for a disk."""
    import tarfile
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        for number in usual_signals():
            signal.signal(number, signal.SIG_DFL)
        take_ends(ends)
        os.closerange(3, 4096)
        if plan.what == TAR_EXTRACT:
            with os.fdopen(0, "rb") as source, tarfile.open(fileobj=source, mode="r|") as archive:
                extract = {"filter": "tar"} if hasattr(tarfile, "tar_filter") else {}
                archive.extractall(".", **extract)
        else:
            with os.fdopen(1, "wb") as target, tarfile.open(fileobj=target, mode="w|", format=tarfile.PAX_FORMAT) as archive:
                for name in plan.arguments:
                    archive.add(os.fsdecode(name))
        code = 0
    except BaseException as error:
        os.write(2, ("%s: %s\n" % (type(error).__name__, error)).encode("utf-8", "replace"))
    finally:
        os._exit(code)


def reap():
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        job = by_pid.pop(pid, None)
        if job is not None:
            job.ended(status)


def on_child(_mask):
    global children_ended
    try:
        while os.read(wakeup, 4096):
            pass
    except BlockingIOError:
        pass
    children_ended = True


# --- A limit on processes --------------------------------------------------------------------------------------------------

def process_limit():
    """How many processes this control group may have, and the file that counts them."""
    folders = ["/sys/fs/cgroup", "/sys/fs/cgroup/pids"]
    try:
        with open("/proc/self/cgroup") as file:
            for line in file.read().splitlines():
                _, controllers, path = line.split(":", 2)
                if controllers in ("", "pids"):
                    folders += ["/sys/fs/cgroup" + path, "/sys/fs/cgroup/pids" + path]
    except (OSError, ValueError):
        pass
    for folder in folders:
        try:
            with open(folder + "/pids.max") as file:
                limit = int(file.read())
            open(folder + "/pids.current").close()
            return limit, folder + "/pids.current"
        except (OSError, ValueError):
            pass
    return -1, None


def has_room():
    """A shell that cannot fork any more fails in the middle of its command: some room is kept for what commands start."""
    if most_processes < 0:
        return True
    try:
        with open(count_file) as file:
            return int(file.read()) < most_processes * 3 // 4
    except (OSError, ValueError):
        return True


# --- Ending ----------------------------------------------------------------------------------------------------------------

class Snapshot(object):
    """Living processes at one moment: pid to (parent, group, session, state, time of its start)."""

    def __init__(self):
        self.at = now()
        self.rows = {}
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            text = read_small("/proc/%s/stat" % name)
            # The program's name, in parentheses, may hold anything.
            fields = text[text.rfind(b")") + 2:].split(b" ", 20)
            if len(fields) == 21 and fields[0] not in (b"Z", b"X"):
                self.rows[int(name)] = (int(fields[1]), int(fields[2]), int(fields[3]), fields[0], fields[19])
        for pid in [pid for pid in known_marks if pid not in self.rows]:
            del known_marks[pid]
        self.cost = now() - self.at

    def marks(self, pid):
        """The marks that a process was started with; it may lose them later, but never gets others."""
        started = self.rows[pid][4]
        known = known_marks.get(pid)
        if known is None or known[0] != started:
            variables = read_small("/proc/%d/environ" % pid).split(b"\0")
            known = started, frozenset(text for text in variables if text.startswith(MARKS))
            known_marks[pid] = known
        return known[1]

    def carries(self, pid, marks):
        return self.marks(pid).issuperset(marks)

    def below(self, roots):
        """Everything that descends from `roots`."""
        children = {}
        for pid, row in self.rows.items():
            children.setdefault(row[0], []).append(pid)
        found, todo = set(), list(roots)
        while todo:
            for pid in children.get(todo.pop(), ()):
                if pid not in found:
                    found.add(pid)
                    todo.append(pid)
        return found


def read_small(path):
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        parts = []
        while True:
            part = os.read(fd, CHUNK)
            if not part:
                return b"".join(parts)
            parts.append(part)
    except OSError:
        return b""
    finally:
        os.close(fd)


def snapshot():
    """A look at all processes in this round of the loop: one from before might not know those that matter."""
    global latest_snapshot
    if latest_snapshot is None or latest_snapshot.at < loop.woke_at:
        latest_snapshot = Snapshot()
    return latest_snapshot


def is_busy(group, since):
    """Whether a process of the group is running right now, rather than waiting for something."""
    if not PROC:
        return now() < since + LINGER_BLINDLY_SECONDS
    rows = snapshot().rows.values()
    return any(row[1] == group and row[3] in (b"R", b"D") for row in rows)


def members(taken, group, marks, is_alive):
    """Living processes of a job: its group, its session, those with its marks, those that descend from it."""
    # The number of a group that has ended may belong to somebody else by now.
    is_reused = not is_alive and group in taken.rows and not taken.carries(group, marks)
    below = taken.below([group]) if is_alive else ()
    found = set()
    for pid, row in taken.rows.items():
        if pid == own_pid:
            continue
        if not is_reused and group in row[1:3]:
            found.add(pid)
        elif pid in below or (marks and taken.carries(pid, marks)):
            found.add(pid)
    return found


def send_signal(group, marks, number, is_alive):
    """Signals a job; true while something of it lives."""
    if not PROC:
        return send_to(-group, number)
    taken = snapshot()
    found = members(taken, group, marks, is_alive)
    escaped = [pid for pid in found if taken.rows[pid][1] != group]
    if len(escaped) < len(found):
        send_to(-group, number)
    for pid in escaped:
        send_to(pid, number)
    return bool(found)


def send_to(target, number):
    try:
        os.kill(target, number)
        return True
    except OSError as error:
        return error.errno == errno.EPERM


class Ending(object):
    """Asks a job to end, forces what lives a second later, and tells when all is gone or cannot be ended."""

    def __init__(self, group, marks, is_alive, number=None):
        self.group, self.marks, self.is_alive, self.number = group, marks, is_alive, number
        self.force_at = now() + ASKED_SECONDS
        self.give_up_at = self.force_at + FORCED_SECONDS
        self.signal(signal.SIGTERM)
        if not endings:
            loop.after(TICK, look_at_endings)
        endings.append(self)

    def signal(self, number):
        self.is_alive = self.is_alive and self.group in by_pid
        return send_signal(self.group, self.marks, number, self.is_alive)

    def is_over(self):
        # Again each time: a process may have forked while we looked.
        lives = self.signal(signal.SIGKILL if now() >= self.force_at else 0)
        if lives and now() < self.give_up_at:
            return False
        if self.number is not None:
            wire.send(DONE, self.number)
        return True


def look_at_endings():
    """One look at the processes serves all that are being ended."""
    endings[:] = [ending for ending in endings if not ending.is_over()]
    if endings:
        loop.after(max(TICK, 4 * latest_snapshot.cost if latest_snapshot else 0), look_at_endings)


def kill(number, body):
    reader = Reader(body)
    target, group, name, marks = reader.number(), reader.number(), reader.text().decode(), reader.texts()
    for plan in [plan for plan in queue if plan.number == target]:
        queue.remove(plan)
        fail(target, CANCELLED, "cancelled")
    job = jobs.get(target)
    is_alive = job is not None and job.status is None
    group = job.pid if is_alive else group
    if not group:
        wire.send(DONE, number)
    elif name:
        send_signal(group, marks, getattr(signal, name, 0), is_alive)
        wire.send(DONE, number)
    else:
        Ending(group, marks, is_alive, number)


def leave():
    """The host is gone, or done: what runs for it ends, what it left running on purpose stays."""
    global is_leaving
    if is_leaving:
        return  # A signal came in the middle of it.
    is_leaving = True
    for fd in (wire.input, wire.output):
        loop.forget(fd)
        os.close(fd)
    os.dup2(wire.null, 2)
    queue[:] = []
    running = [job for job in by_pid.values() if not job.is_background]
    started = now()
    is_asked = True
    while now() < started + LEAVE_SECONDS:
        number = signal.SIGKILL if now() > started + LEAVE_ASKED_SECONDS else (signal.SIGTERM if is_asked else 0)
        is_asked = False
        loop.woke_at = now()
        lives = [send_signal(job.pid, job.marks, number, job.pid in by_pid) for job in running]
        lives.append(end_adopted(number))
        if not any(lives):
            break
        time.sleep(TICK)
        reap_quietly()
    for listener in list(listeners.values()):
        listener.close()
    keep_reading()
    os._exit(0)


def reap_quietly():
    try:
        while True:
            pid, _ = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            by_pid.pop(pid, None)
    except OSError:
        pass


def end_adopted(number):
    """Ends descendants that hide from their marks; true while one lives."""
    if not (PROC and is_subreaper):
        return False
    taken = snapshot()
    kept = {job.pid for job in by_pid.values() if job.is_background}
    hidden = [pid for pid in taken.below([own_pid]) - taken.below(kept) - kept
              if not taken.marks(pid)]
    for pid in hidden:
        send_to(pid, number)
    return bool(hidden)


def keep_reading():
    """A server that an ended command left would die of SIGPIPE: a copy of this process reads on for as long as it lives."""
    kept = [stream.fd for stream in leftovers if stream.fd is not None]
    kept += [stream.fd for job in by_pid.values() if job.is_background
             for stream in job.streams.values() if getattr(stream, "fd", None) is not None]
    if not kept or os.fork():
        return
    os.setsid()
    for number in usual_signals():
        signal.signal(number, signal.SIG_DFL)
    poller = select.poll()
    for fd in kept:
        os.set_blocking(fd, False)
        poller.register(fd, POLL_IN)
    while kept:
        for fd, _ in poller.poll():
            try:
                if os.read(fd, CHUNK):
                    continue
            except BlockingIOError:
                continue
            except OSError:
                pass
            poller.unregister(fd)
            kept.remove(fd)


# --- Sockets ---------------------------------------------------------------------------------------------------------------

class Listener(object):
    """A Unix socket whose connections travel to the host."""

    def __init__(self, number, path):
        import socket
        self.number, self.path = number, path
        self.socket = socket.socket(socket.AF_UNIX)
        before = os.umask(0o177)
        try:
            self.socket.bind(os.fsdecode(path))
            self.socket.listen(64)
        except BaseException:
            self.socket.close()
            raise
        finally:
            os.umask(before)
        self.socket.setblocking(False)
        loop.watch(self.socket.fileno(), POLL_IN, self.accept)

    def accept(self, _mask):
        global next_connection
        try:
            accepted, _ = self.socket.accept()
        except OSError:
            return
        if len(connections) >= MOST_CONNECTIONS:
            accepted.close()
            return
        number = next_connection
        next_connection = number + 1 if number < 0xffffffff else FIRST_CONNECTION
        wire.send(OPEN, number, U32.pack(self.number))
        connections[number] = Connection(number, accepted)

    def close(self):
        loop.forget(self.socket.fileno())
        self.socket.close()
        listeners.pop(self.number, None)
        wire.send(CLOSED, self.number)
        try:
            os.unlink(self.path)
        except OSError:
            pass


class Connection(object):
    def __init__(self, number, accepted):
        self.number, self.socket = number, accepted
        self.is_closed = False
        self.input = Input(os.dup(accepted.fileno()), number, self.input_ended)
        self.stream = Stream(os.dup(accepted.fileno()), number, (OUT, OUT_END), self.stream_ended)
        self.streams = {OUT: self.stream}

    def input_ended(self, _fd):
        import socket
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        self.let_go(True)

    def stream_ended(self, _stream):
        self.let_go(False)

    def let_go(self, is_input):
        other = self.stream.fd if is_input else self.input.fd
        if other is None:
            self.close()

    def close(self):
        if self.is_closed:
            return
        self.is_closed = True
        self.stream.on_end = self.input.on_end = None
        self.stream.close()
        self.input.close()
        self.socket.close()
        connections.pop(self.number, None)
        wire.send(CLOSED, self.number)


def listen(number, body):
    try:
        listeners[number] = Listener(number, body)
    except (OSError, ImportError) as error:
        fail(number, FILE_ERROR, error)
        return
    wire.send(DONE, number)


# --- Files -----------------------------------------------------------------------------------------------------------------

class Writing(object):
    """A file that the host sends. It appears whole, or not at all, when it is to be replaced."""

    def __init__(self, number, path, mode, flags):
        self.number = number
        self.target = os.path.realpath(path)
        if flags & 4:
            os.makedirs(os.path.dirname(self.target), exist_ok=True)
        self.path = self.target
        self.replaces = bool(flags & 2)
        how = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW
        if self.replaces:
            name = b".%s.%d-%d" % (os.path.basename(self.target)[:200], own_pid, number)
            self.path = os.path.join(os.path.dirname(self.target), name)
            mode = self.mode_of_old(mode)
        self.fd = os.open(self.path, how | (os.O_EXCL if flags & 3 else os.O_TRUNC), mode)
        if self.replaces:
            os.fchmod(self.fd, mode)

    def mode_of_old(self, mode):
        try:
            return os.stat(self.target).st_mode & 0o7777
        except OSError:
            return mode & ~own_umask

    def push(self, data):
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(self.fd, view):]
        except OSError as error:
            self.fail(error)
            return
        wire.send(CREDIT, self.number, U32.pack(len(data)))

    def end(self):
        try:
            if self.replaces:
                os.fsync(self.fd)
            os.close(self.fd)
            if self.replaces:
                os.replace(self.path, self.target)
        except OSError as error:
            self.fail(error)
            return
        writings.pop(self.number, None)
        wire.send(DONE, self.number, stat_body(os.stat(self.target)))

    def fail(self, error):
        fail(self.number, FILE_ERROR, error)
        self.close()

    def close(self):
        writings.pop(self.number, None)
        for action, argument in ((os.close, self.fd), (os.unlink, self.path)):
            try:
                action(argument)
            except OSError:
                pass


def stat_body(found, path=b""):
    numbers = (found.st_mode, found.st_uid, found.st_gid, found.st_size, found.st_mtime_ns, found.st_ino)
    return struct.pack(">IIIQQQ", *(number & (1 << 64) - 1 for number in numbers)) + path


def read_file(number, path, reader):
    import stat
    offset, limit = reader.number(">Q"), reader.number(">Q")
    # Not blocking: opening a named pipe would wait for its writer.
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode):
        os.close(fd)
        raise OSError(errno.EISDIR if stat.S_ISDIR(found.st_mode) else errno.EINVAL, "not a regular file")
    wire.send(DONE, number, stat_body(found, os.path.realpath(path)))
    pump(number, file_chunks(fd, offset, limit))


def file_chunks(fd, offset, limit):
    try:
        os.lseek(fd, offset, os.SEEK_SET)
        while limit > 0:
            data = os.read(fd, min(CHUNK, limit))
            if not data:
                return
            limit -= len(data)
            yield data
    finally:
        os.close(fd)


def list_folder(number, path, _reader):
    entries = os.scandir(path)
    wire.send(DONE, number)
    pump(number, entry_chunks(entries))


def entry_chunks(entries):
    """A letter for the kind and the name, each entry ended by NUL, in chunks."""
    chunk = bytearray()
    for entry in entries:
        kind = b"l" if entry.is_symlink() else b"d" if entry.is_dir() else b"f" if entry.is_file() else b"o"
        chunk += kind + os.fsencode(entry.name) + b"\0"
        if len(chunk) > CHUNK // 2:
            yield bytes(chunk)
            chunk = bytearray()
    if chunk:
        yield bytes(chunk)


def pump(number, chunks):
    pumped = Pump(chunks, number, (OUT, OUT_END), lambda _pump: transfers.pop(number, None))
    transfers[number] = pumped
    if pumped.is_ready():
        pumped.step()


def stat_path(number, path, reader):
    follow = reader.number(">B")
    found = os.stat(path) if follow else os.lstat(path)
    wire.send(DONE, number, stat_body(found, os.path.realpath(path)))


def write_file(number, path, reader):
    mode, flags = reader.number(), reader.number(">B")
    writings[number] = Writing(number, path, mode, flags)


def remove_path(number, path, reader):
    if reader.number(">B"):
        import shutil
        shutil.rmtree(path, ignore_errors=True)
        if os.path.lexists(path):
            os.unlink(path)
    else:
        os.unlink(path)
    wire.send(DONE, number)


def make_folder(number, path, reader):
    mode = reader.number()
    os.makedirs(path, mode, exist_ok=True)
    wire.send(DONE, number)


def rename_path(number, path, reader):
    os.replace(path, reader.text())
    wire.send(DONE, number)


FILE_OPERATIONS = (read_file, stat_path, list_folder, write_file, remove_path, make_folder, rename_path)


def file_operation(number, body):
    reader = Reader(body)
    operation = FILE_OPERATIONS[reader.number(">B")]
    try:
        operation(number, reader.text(), reader)
    except (OSError, ValueError, ImportError) as error:
        fail(number, FILE_ERROR, error)


# --- Frames ----------------------------------------------------------------------------------------------------------------

def fail(number, why, error):
    code = getattr(error, "errno", None) or 0
    text = getattr(error, "strerror", None) or str(error)
    wire.send(FAILED, number, struct.pack(">BI", why, code) + text.encode("utf-8", "replace")[:1000])


def input_of(number):
    owner = jobs.get(number) or connections.get(number)
    return owner.input if owner is not None else writings.get(number)


def feed(number, body):
    target = input_of(number)
    if target is not None:
        target.push(body)


def end_feed(number, _body):
    target = input_of(number)
    if target is not None:
        target.end()


def widen(number, body):
    kind, size = struct.unpack(">BI", body)
    owner = jobs.get(number) or connections.get(number)
    stream = owner.streams.get(kind) if owner is not None else transfers.get(number)
    if stream is not None:
        stream.window += size
        if stream in wire.stalled:
            stream.resume()


def resize(number, body):
    import fcntl
    import termios
    columns, rows = struct.unpack(">HH", body)
    job = jobs.get(number)
    if job is not None and job.terminal and OUT in job.streams and job.streams[OUT].fd is not None:
        fcntl.ioctl(job.streams[OUT].fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def close(number, _body):
    target = listeners.get(number) or connections.get(number) or transfers.get(number) or writings.get(number)
    if target is not None:
        target.close()


def ping(number, _body):
    wire.send(DONE, number)


HANDLERS = {START: request_start, DATA: feed, DATA_END: end_feed, WINDOW: widen, KILL: kill, RESIZE: resize,
            LISTEN: listen, CLOSE: close, FILE: file_operation, PING: ping}


def handle(kind, number, body):
    HANDLERS[kind](number, body)


# --- The beginning ---------------------------------------------------------------------------------------------------------

def become_subreaper():
    """Processes that leave their session then stay our descendants. Linux, and only with ctypes."""
    if not sys.platform.startswith("linux") or "subreaper" in DISABLED:
        return False
    try:
        import ctypes
        return ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0
    except Exception:
        return False


def environment_for_others():
    """What this process was given, without what the shell and Python on the way to it added."""
    added = {b"PWD", b"OLDPWD", b"SHLVL", b"_", b"HERMES_RUN", b"HERMES_CALL"}
    if "ctype" not in DISABLED:
        added.add(b"LC_CTYPE")
    return {name: value for name, value in os.environb.items() if name not in added}


def has_module(name):
    return any(finder.find_spec(name, None) is not None for finder in sys.meta_path if hasattr(finder, "find_spec"))


def greet():
    capabilities = 0
    for bit, holds in ((CAN_SPAWN, can_spawn), (CAN_ADOPT, is_subreaper), (CAN_LOOK, PROC),
                       (CAN_TAR, has_module("tarfile")), (CAN_LISTEN, has_module("_socket")),
                       (CAN_TERMINAL, hasattr(os, "openpty"))):
        capabilities |= bit if holds else 0
    about = "%s\0%s" % (sys.platform, sys.version.split()[0])
    numbers = struct.pack(">HIIIi", VERSION, own_pid, os.getuid(), capabilities, most_processes)
    wire.send(HELLO, 0, numbers + about.encode("ascii", "replace"))


def on_signal(_number, _frame):
    leave()


own_pid = os.getpid()
own_umask = os.umask(0)
os.umask(own_umask)
own_environment = environment_for_others()
jobs, by_pid, queue, leftovers = {}, {}, [], set()
listeners, connections, writings, transfers = {}, {}, {}, {}
next_connection = FIRST_CONNECTION
latest_snapshot = None
known_marks, endings = {}, []
last_end = 0.0
is_leaving = children_ended = is_starting_later = is_watching_deadlines = False
can_spawn = hasattr(os, "posix_spawn") and "posix_spawn" not in DISABLED

wire = Wire()
loop = Loop()
wakeup, wakeup_writer = os.pipe()
for descriptor in (wakeup, wakeup_writer):
    os.set_blocking(descriptor, False)
signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
for ending in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(ending, on_signal)
signal.set_wakeup_fd(wakeup_writer)
is_subreaper = become_subreaper()
most_processes, count_file = process_limit()
loop.watch(wire.input, POLL_IN, wire.read)
loop.watch(wakeup, POLL_IN, on_child)
greet()
try:
    while True:
        wire.flush()
        for descriptor, mask in loop.wait():
            handler = loop.handlers.get(descriptor)
            if handler is not None:
                handler(mask)
        # After the pipes of this round, so that output comes before the end.
        if children_ended:
            children_ended = False
            reap()
            start_waiting()
        loop.run_timers()
        loop.run_pumps()
except (BrokenPipeError, ConnectionResetError):
    leave()
except BaseException:
    # Without this process nobody would end what it started.
    sys.excepthook(*sys.exc_info())
    leave()
