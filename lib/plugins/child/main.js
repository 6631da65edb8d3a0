/** Runs one user plug-in in a process of its own: loads its module and answers calls that come over the channel. */

const [, , mainPath = ""] = process.argv;

// What the plug-in starts must not become this program again, nor find the channel.
delete process.env.BUN_BE_BUN;
delete process.env.NODE_CHANNEL_FD;
console.log = console.error;
console.info = console.error;
console.debug = console.error;

const running = new Map();
const loading = import(mainPath);
// Reported by the first call; until then it must not end the process.
loading.catch(() => {});

process.on("disconnect", () => process.exit(0));
process.on("message", (message) => {
	if (message.cancel !== undefined) cancel(message.cancel);
	else void answer(message);
});
process.send({ ready: true });

async function answer({ id, kind, name, input, context }) {
	const controller = new AbortController();
	running.set(id, controller);
	try {
		const { default: plugin } = await loading;
		const member = kind === "tool" ? plugin?.tools?.[name] : plugin?.hooks?.[name];
		if (typeof member !== "function") throw new Error(`its module has no ${kind} "${name}"`);
		const value = await member(input, { ...context, signal: controller.signal });
		reply(id, { ok: true, value: value ?? null });
	} catch (cause) {
		reply(id, { ok: false, error: cause instanceof Error ? cause.message || cause.name : String(cause) });
	}
}

/** The answer to a cancelled call is sent at once, to show that this process still listens. */
function cancel(id) {
	const controller = running.get(id);
	reply(id, { ok: false, error: "cancelled" });
	controller?.abort(new Error("the call was cancelled"));
}

function reply(id, outcome) {
	if (!running.delete(id)) return;
	try {
		process.send({ id, ...outcome });
	} catch (cause) {
		process.send({ id, ok: false, error: `its answer cannot be sent: ${cause}` });
	}
}
