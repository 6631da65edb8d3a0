/**
 * A process that runs one agent turn and prints its events: `agent-process.ts DATABASE SESSION CASSETTE`.
 * Its one tool runs `sleep` for the seconds it is given and says its process id.
 */

import { createAgent } from "../../lib/agent/agent.ts";
import cassette from "../../lib/providers/cassette/index.ts";
import { openStore } from "../../lib/store/database.ts";

const [path = "", sessionId = "", tape = ""] = process.argv.slice(2);
const client = await cassette.open({
	tape: { name: tape, text: await Bun.file(tape).text(), values: {} },
	stallSeconds: 10,
});
const store = openStore(path);
store.createSession({ id: sessionId, source: "test" });
const agent = createAgent({
	client,
	model: "cassette",
	providerId: "cassette",
	systemPrompt: "You are tested.",
	tools: [],
	store,
	sessionId,
	cwd: "/",
	ranOn: "local",
	maxTurns: 10,
	emit: (event) => {
		process.stdout.write(`${JSON.stringify(event)}\n`);
	},
	async runTool(call, { onOutput }) {
		const { seconds } = JSON.parse(call.arguments);
		const child = Bun.spawn(["sleep", String(seconds)]);
		onOutput(`running ${child.pid}.`);
		await child.exited;
		return { answer: JSON.stringify({ slept: seconds }), isError: false, denied: false, durationMs: 0 };
	},
});
await agent.runTurn("Sleep twice.", new AbortController().signal);
