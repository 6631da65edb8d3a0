/** mendSchema(): schemas that are there to break whoever reads them. */

import { expect, test } from "bun:test";
import { mendSchema } from "../../lib/mcp/mend-schema.ts";

test("mendSchema() refuses what is nested without end, and ends where references go in circles or double at each step", () => {
	let deep: object = {};
	for (let level = 0; level < 5_000; level++) deep = { type: "object", properties: { a: deep } };
	expect(() => mendSchema(deep)).toThrow("it is nested too deeply");

	const to = (name: string) => ({ $ref: `#/$defs/${name}` });
	const node = { type: "object", properties: { left: to("node"), right: to("node") } };
	const circle = mendSchema({ type: "object", properties: { tree: to("node") }, $defs: { node } });
	expect(JSON.stringify(circle)).not.toContain("$ref");

	const steps = Array.from({ length: 40 }, (_, at) => [
		`s${at}`,
		{ properties: { x: to(`s${at + 1}`), y: to(`s${at + 1}`) } },
	]);
	const doubling = {
		type: "object",
		properties: { q: to("s0") },
		$defs: { ...Object.fromEntries(steps), s40: { type: "string" } },
	};
	expect(JSON.stringify(mendSchema(doubling)).length).toBeLessThan(100_000);
});
