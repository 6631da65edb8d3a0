/** Consent holds for one command: whatever a shell reads in another way is another one. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the tables hold shell text

import { describe, expect, test } from "bun:test";
import { consentKeys } from "../../../lib/security/approval/consent-keys.ts";

const keyOf = (command: string) =>
	consentKeys({ kind: "command", command, cwd: "/srv" }, [{ category: "delete-recursive" }], "local")[0]?.key;

describe("consentKeys()", () => {
	test.each([
		["rm -r ${a%x}", "rm -r ${a%%/*}"],
		["rm -r ${a:0:9}", "rm -r ${a:0:1}"],
		["rm -r ${a:-b}", "rm -r ${a:+b}"],
		["rm -r ${a}", "rm -r ${!a}"],
		["rm -r x 2>log", "rm -r x >log"],
		["case $x in a) rm -r x;; esac", "case $x in *) rm -r x;; esac"],
		["rm -r 'a b'", "rm -r 'a  b'"],
		["rm -r 'a b'", "rm -r a b"],
	])("tells %j from %j", (one, other) => {
		expect(keyOf(one)).not.toBe(keyOf(other));
	});

	test.each([
		["rm -r x", "  rm   -r\tx "],
		["rm -r x", "rm -r x # old"],
	])("takes %j and %j for one", (one, other) => {
		expect(keyOf(one)).toBe(keyOf(other));
	});
});
