import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../lib/store/database.ts";

test("runTurn() killed in the middle of a tool call has every message shown so far in the database", async () => {
	const home = mkdtempSync(join(tmpdir(), "hermes-kill-"));
	try {
		const path = join(home, "state.db");
		const tape = join(home, "tape.jsonl");
		const sleep = (seconds: number) => ({ name: "sleep", arguments: { seconds } });
		const lines = [
			{ text: "First.", tool_calls: [sleep(0)] },
			{ text: "Then.", tool_calls: [sleep(0), sleep(61)] },
		];
		writeFileSync(tape, lines.map((line) => JSON.stringify(line)).join("\n"));

		const program = join(import.meta.dir, "..", "support", "agent-process.ts");
		const child = Bun.spawn([process.execPath, program, path, "killed", tape], { stdout: "pipe" });
		let shown = "";
		const decoder = new TextDecoder();
		for await (const bytes of child.stdout) {
			shown += decoder.decode(bytes, { stream: true });
			if (shown.split('"type":"tool_output"').length === 4) break;
		}
		child.kill("SIGKILL");
		await child.exited;
		process.kill(Number(/.*running (\d+)\./s.exec(shown)?.[1]));

		using store = openStore(path);
		expect(store.listMessages("killed").map(({ message }) => message)).toEqual([
			{ role: "user", content: "Sleep twice." },
			{
				role: "assistant",
				content: "First.",
				toolCalls: [{ id: "call_1_1", name: "sleep", arguments: '{"seconds":0}' }],
				finishReason: "tool_calls",
			},
			{ role: "tool", toolCallId: "call_1_1", toolName: "sleep", content: '{"slept":0}' },
			{
				role: "assistant",
				content: "Then.",
				toolCalls: [
					{ id: "call_2_1", name: "sleep", arguments: '{"seconds":0}' },
					{ id: "call_2_2", name: "sleep", arguments: '{"seconds":61}' },
				],
				finishReason: "tool_calls",
			},
			{ role: "tool", toolCallId: "call_2_1", toolName: "sleep", content: '{"slept":0}' },
		]);
		expect(store.getSession("killed")).toMatchObject({ messageCount: 5, toolCallCount: 3, apiCallCount: 2 });
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}, 30_000);
