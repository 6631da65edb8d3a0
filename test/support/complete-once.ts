/** A process that asks one question and prints the answer: `complete-once.ts BASE_URL`. */

import custom from "../../lib/providers/custom.ts";

const client = await custom.open({ baseUrl: process.argv[2] ?? "", stallSeconds: 20 });
const request = { model: "m", messages: [{ role: "user" as const, content: "hi" }], tools: [] };
for await (const chunk of client.complete(request, new AbortController().signal)) {
	if (chunk.type === "finished") process.stdout.write(`${chunk.message.content}\n`);
}
