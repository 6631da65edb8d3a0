/** Fences of Linux, by bubblewrap: a mount namespace that is read-only but for a few folders. */

import { existsSync, readdirSync } from "node:fs";
import { attempt } from "../../../base/attempt.ts";
import type { FenceBuilder, FencePlan } from "./fence.ts";

/** Through these somebody outside does what one is told: engines of containers, service managers. */
const sockets = [
	...["/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock", "/run/crio/crio.sock"],
	...[
		"/run/dbus/system_bus_socket",
		"/run/systemd/private",
		"/run/systemd/io.systemd.Manager",
		"/run/libvirt/libvirt-sock",
	],
];
/** Folders of sockets: sessions of terminals, the screen. */
const socketFolders = ["/run/screen", "/tmp/.X11-unix", "/tmp/screens"];

/** What root may do inside. Mounting, devices, modules and tracing would all lead out. */
const rootCapabilities = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "NET_BIND_SERVICE"];

/** A fence of bubblewrap. Processes outside cannot be seen: their environments hold keys. */
export function bubblewrap(plan: FencePlan): FenceBuilder {
	const program = Bun.which("bwrap", { PATH: `${plan.path}:/usr/bin:/bin` });
	if (program === null) {
		return {
			missing:
				"bubblewrap is not installed (apt-get install bubblewrap, dnf install bubblewrap); nothing runs without it",
			wrap: (argv) => argv,
		};
	}
	const base = [program, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "--unshare-ipc"];
	if (plan.kind === "full") base.push("--unshare-net");
	if (process.getuid?.() === 0) {
		// They change the system itself, and root needs no capability to write to them.
		for (const part of ["sys", "sysrq-trigger", "irq", "bus"]) {
			base.push("--ro-bind-try", `/proc/${part}`, `/proc/${part}`);
		}
		base.push("--cap-drop", "ALL", ...rootCapabilities.flatMap((name) => ["--cap-add", `CAP_${name}`]));
	}
	base.push(...mountsOf(plan));
	return { missing: undefined, wrap: (argv) => [...base, ...hidden(), "--", ...startable(argv)] };
}

/** Outer folders first: what is mounted later lies on top. */
function mountsOf({ writable, readOnly }: FencePlan): string[] {
	const mounts = [
		...writable.map((path) => ({ path, flag: "--bind" })),
		...readOnly.filter((path) => !writable.includes(path)).map((path) => ({ path, flag: "--ro-bind-try" })),
	];
	mounts.sort((left, right) => left.path.length - right.path.length);
	return mounts.flatMap(({ path, flag }) => [flag, path, path]);
}

/** Looked up for each start: a session of a terminal may have begun since. */
function hidden(): string[] {
	const own = process.getuid?.() ?? 0;
	const temporary = attempt(() => readdirSync("/tmp"));
	const terminals = (temporary.ok ? temporary.value : []).filter((name) => /^tmux-\d+$/.test(name));
	const folders = [`/run/user/${own}`, ...socketFolders, ...terminals.map((name) => `/tmp/${name}`)];
	return [
		...folders.filter((path) => existsSync(path)).flatMap((path) => ["--tmpfs", path]),
		...sockets.filter((path) => existsSync(path)).flatMap((path) => ["--ro-bind", "/dev/null", path]),
	];
}

/** A program that is not there is a matter of the shell, with its codes 126 and 127, not of bubblewrap, with 1. */
function startable(argv: readonly string[]): readonly string[] {
	const isSure = /^\/(?:usr\/)?bin\//.test(argv[0] ?? "") && existsSync(argv[0] ?? "");
	return isSure ? argv : ["/bin/sh", "-c", 'exec "$@"', "sh", ...argv];
}
