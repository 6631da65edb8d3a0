/** What becomes of the tests of a service that is not there. */

import { afterEach, expect, test } from "bun:test";
import { requireService } from "./required-service.ts";

const before = process.env.HERMES_TEST_REQUIRE;

afterEach(() => {
	if (before === undefined) delete process.env.HERMES_TEST_REQUIRE;
	else process.env.HERMES_TEST_REQUIRE = before;
});

const refuse = async () => {
	throw new Error("nobody answers");
};

test("requireService() is true for a service that answers, and false for one that does not", async () => {
	process.env.HERMES_TEST_REQUIRE = "";
	expect([await requireService("an example", async () => {}), await requireService("an example", refuse)]).toEqual([
		true,
		false,
	]);
});

test("requireService() throws for a missing service that is required", async () => {
	process.env.HERMES_TEST_REQUIRE = "other,example";
	await expect(requireService("example", refuse)).rejects.toThrow(
		"Cannot test example, which is required here: nobody answers",
	);
});
