/** Secrets in what sub-agents are told and say: none is kept on disk, nor a part of one where a long text was cut. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { openRecords } from "../../../lib/agent/delegate/records.ts";
import { createRedactor } from "../../../lib/security/redact.ts";
import { delegationScene, taskOf } from "../../support/delegation-scene.ts";
import { callOf, scriptedModel } from "../../support/scripted-model.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const secret = "kH7wQ2zT9mVb4XcR8nLp";
/** A mask shows six characters of the beginning and four of the end; any seven are more than should be seen. */
const parts = Array.from({ length: secret.length - 6 }, (_, at) => secret.slice(at, at + 7));
/** `length` characters of words, and the secret across the end of them. */
const across = (length: number) =>
	`${"word ".repeat(length / 5).slice(0, length - 11)} ${secret} ${"word ".repeat(2_000)}`;

test("goals, reports and what was said until then are masked before they are cut", async () => {
	using home = temporaryFolder();
	const records = openRecords(join(home.path, "delegations"));
	const saved: string[] = [];
	const { promise: never } = Promise.withResolvers<void>();
	const scene = delegationScene({
		// What was said until then is cut in front: its last 4,000 characters are kept.
		modelFor: (goal) =>
			goal.startsWith("slow")
				? scriptedModel([{ content: `x ${secret} ${"y".repeat(3_989)}`, toolCalls: [callOf("look")] }])
				: scriptedModel([{ content: across(24_000) }]),
		onCall: () => never,
		limits: { timeoutMs: 300 },
		inBackground: true,
		records,
		mask: createRedactor([secret]),
		async saveText(_name, text) {
			saved.push(text);
			return { ok: true, path: "/tmp/saved" };
		},
	});
	await using _engine = scene.engine;
	const answer = await scene.delegation.start([taskOf(across(4_000)), taskOf("slow")]);
	await scene.untilTold();
	const kept = records.get(String(answer.ok && answer.data.delegation_id));
	expect(kept?.children).toMatchObject([{ status: "completed" }, { status: "timeout" }]);
	const seen = JSON.stringify([kept, scene.told(), saved]);
	expect(parts.filter((part) => seen.includes(part))).toEqual([]);
	expect(saved[0]?.length).toBeGreaterThan(30_000);
});
