/** The Python program that gives a background process a terminal. It needs nothing but the standard library of Python 3.6. */

/** Arguments: folder, columns, rows, then the process. Standard input is typed into the terminal; what it shows is written out. */
export const terminalProgram = `import fcntl, os, select, signal, struct, sys, termios

folder, columns, rows = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
master, slave = os.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
with open(folder + "/tty", "w") as file:
    file.write(os.ttyname(slave))
woken, wake = os.pipe()
for end in (woken, wake, master):
    os.set_blocking(end, False)
signal.set_wakeup_fd(wake)
signal.signal(signal.SIGCHLD, lambda *_: None)
child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for number in (0, 1, 2):
        os.dup2(slave, number)
    os.closerange(3, 256)
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(sys.argv[4], sys.argv[4:])
    except OSError as error:
        os.write(2, ("Cannot start %s: %s\\n" % (sys.argv[4], error.strerror)).encode())
        os._exit(127)
with open(folder + "/group", "w") as file:
    file.write(str(child))
os.close(slave)


def write_all(data):
    while data:
        data = data[os.write(1, data):]


def show():
    """Whether there may be more."""
    try:
        data = os.read(master, 65536)
    except BlockingIOError:
        return False
    except OSError:
        return None
    write_all(data)
    return bool(data) or None


typed, reads, status = b"", [0, woken, master], None
while status is None:
    ready, writable, _ = select.select(reads, [master] if typed else [], [])
    if woken in ready:
        try:
            os.read(woken, 512)
        except OSError:
            pass
        done, code = os.waitpid(child, os.WNOHANG)
        if done:
            status = code
    if master in ready and show() is None:
        reads.remove(master)
    if writable:
        try:
            typed = typed[os.write(master, typed[:512]):]
        except BlockingIOError:
            pass
        except OSError:
            typed = b""
    if 0 in ready:
        data = os.read(0, 4096)
        typed += data
        if not data:
            reads.remove(0)
while show():
    pass
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
`;
