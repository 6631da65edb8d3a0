/**
 * Reaches an engine over ssh as the docker client does: a private socket here, and for every connection to it the user's own
 * ssh client running `docker system dial-stdio` on the other machine.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BackendUnavailable } from "../../backend.ts";
import type { Address } from "./endpoint.ts";

type SshAddress = Extract<Address, { kind: "ssh" }>;

/** A socket here that leads to the engine there. */
export interface SshBridge extends AsyncDisposable {
	readonly path: string;
	/** What the ssh client last complained about; empty when it did not. */
	complaint(): string;
}

/** Seconds until a machine that does not answer is given up, and for which an idle connection is kept. */
const connectSeconds = 15;
const keepSeconds = 120;

/** Kept of what ssh says. */
const complaintCharacters = 500;

/**
 * Opens a bridge. `environment` is what the ssh client sees.
 * @throws {BackendUnavailable} When there is no ssh client.
 */
export async function openSshBridge(
	address: SshAddress,
	environment: Readonly<Record<string, string>>,
): Promise<SshBridge> {
	const program = Bun.which("ssh", { PATH: environment.PATH ?? "" });
	if (program === null) {
		throw new BackendUnavailable(`Cannot reach ssh://${address.destination}: there is no ssh on PATH`);
	}
	// mkdtemp makes it 0700: nobody else may use our login.
	const folder = mkdtempSync(join(tmpdir(), "hermes-ssh-"));
	const arguments_ = sshArguments(address, join(folder, "%C"));
	const children = new Set<Bun.Subprocess>();
	let complaint = "";
	const server = createServer({ allowHalfOpen: true }, (socket) => {
		const child = dial(socket, [program, ...arguments_, ...remoteCommand(address)], environment);
		children.add(child);
		void child.exited.then(() => children.delete(child));
		void new Response(child.stderr).text().then((said) => {
			const line = said.trim().replace(/\s+/g, " ");
			if (line !== "") complaint = line.slice(-complaintCharacters);
		});
	});
	const path = join(folder, "engine.sock");
	await listen(server, path);
	return {
		path,
		complaint: () => complaint,
		async [Symbol.asyncDispose]() {
			server.close();
			for (const child of children) child.kill();
			await endMaster([program, "-O", "exit", ...arguments_], environment);
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

/** Options and destination. One connection serves all: a login for every request would take seconds. */
function sshArguments({ destination, port }: SshAddress, controlPath: string): string[] {
	const options = [
		["BatchMode", "yes"],
		["ConnectTimeout", String(connectSeconds)],
		["ControlMaster", "auto"],
		["ControlPath", controlPath],
		["ControlPersist", String(keepSeconds)],
	];
	const settings = options.flatMap(([name, value]) => ["-o", `${name}=${value}`]);
	return ["-T", ...settings, ...(port === undefined ? [] : ["-p", port]), "--", destination];
}

function remoteCommand({ socket }: SshAddress): string[] {
	const host = socket === undefined ? [] : ["--host", `'unix://${socket.replaceAll("'", `'\\''`)}'`];
	return ["docker", ...host, "system", "dial-stdio"];
}

type Dialled = Bun.Subprocess<"pipe", "pipe", "pipe">;

function dial(socket: Socket, argv: string[], env: Readonly<Record<string, string>>): Dialled {
	const child = Bun.spawn(argv, { stdio: ["pipe", "pipe", "pipe"], env: { ...env }, detached: true });
	socket.on("data", (chunk) => {
		child.stdin.write(chunk);
		void child.stdin.flush();
	});
	socket.on("end", () => void child.stdin.end());
	socket.on("close", () => child.kill());
	socket.on("error", () => child.kill());
	void forward(child.stdout, socket);
	return child;
}

async function forward(from: ReadableStream<Uint8Array>, socket: Socket): Promise<void> {
	for await (const chunk of from) {
		if (!socket.write(chunk)) await new Promise((resolve) => socket.once("drain", resolve).once("close", resolve));
	}
	socket.end();
}

async function listen(server: Server, path: string): Promise<void> {
	const { promise, resolve, reject } = Promise.withResolvers<void>();
	server.once("error", reject);
	server.listen(path, resolve);
	await promise;
}

async function endMaster(argv: string[], env: Readonly<Record<string, string>>): Promise<void> {
	await Bun.spawn(argv, { stdio: ["ignore", "ignore", "ignore"], env: { ...env } }).exited;
}
