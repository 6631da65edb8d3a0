/** Where a command line runs sudo. */

import { describe, expect, test } from "bun:test";
import { pipesSudoPassword, sudoWords } from "../../lib/security/sudo-words.ts";
import { processorMs } from "../support/processor-time.ts";

/** `command` with a mark before each word that is found. */
function marked(command: string): string {
	let text = "";
	let at = 0;
	for (const { start } of sudoWords(command)) {
		text += `${command.slice(at, start)}@`;
		at = start;
	}
	return text + command.slice(at);
}

describe("sudoWords()", () => {
	test.each([
		"@sudo apt-get update",
		"true && @sudo id; @sudo -u me id | @sudo tee f",
		"A=1 B='x y' @sudo -E id",
		"if @sudo true; then @sudo id; else @sudo ls; fi",
		"(@sudo id) & { @sudo id; }",
		"echo $(@sudo cat f) `@sudo cat f`",
		'echo "user $(@sudo id -un)"',
		"cat <<EOF\n$(@sudo id)\nEOF",
		"time @sudo id; nice -n 5 @sudo id; env A=1 @sudo id; exec @sudo id",
		"@/usr/bin/sudo id",
		"! @sudo true",
		"while @sudo true; do :; done",
		"@sudo sh -c 'sudo id'",
		"echo x | xargs @sudo rm",
		"@sudo -- id; @sudo -u -S id",
	])("finds %j", (command) => {
		expect(marked(command.replaceAll("@", ""))).toBe(command);
	});

	test.each([
		"echo sudo id",
		"echo 'sudo id' \"sudo id\"",
		"# sudo id",
		"cat <<EOF\nsudo id\nEOF",
		"cat <<'EOF'\n$(sudo id)\nEOF",
		"grep sudo /var/log/auth.log",
		"man sudo; which sudo; pseudosudo id; sudoedit f; ./sudo id; my-sudo id; sudo.sh",
		"git commit -m 'run sudo id'",
		"apt-get install sudo",
		"bash -c 'sudo id'",
		"sudo -S id; sudo -kS id; sudo --stdin id",
		"sudo -A id; sudo --askpass id; sudo -n true; sudo -nv",
		"sudo=1; echo $sudo",
	])("leaves %j alone", (command) => {
		expect(sudoWords(command)).toEqual([]);
	});

	test("takes linear time in a long command, and reads none that is too long", () => {
		const long = `${"echo 'sudo id'; ".repeat(3_000)}sudo id`;
		expect(processorMs(() => expect(sudoWords(long)).toEqual([]))).toBeLessThan(5_000);
		expect(sudoWords(`sudo id; ${"x".repeat(70_000)}`)).toEqual([]);
	});
});

describe("pipesSudoPassword()", () => {
	test.each([
		"echo guess | sudo -S id",
		"sudo -nS id",
		"sudo -k -S id",
		"sudo --stdin id",
		"sudo --std id",
		"FOO=1 sudo -S id",
		"sudo -u root -S id",
		"sudo -kSu root id",
		"bash -c 'echo x | sudo -S id'",
		"(echo x | /usr/bin/sudo -S id)",
		"echo $(sudo -S id)",
		"find . -exec sudo -S rm {} ;",
		"env sudo -S id",
		"sudo \\\n-S id",
		"sudo '-S' id",
		"s\\udo -S id",
	])("sees %j", (command) => {
		expect(pipesSudoPassword(command)).toBe(true);
	});

	test.each([
		"sudo id",
		"sudo ls -S",
		"sudo -u S id",
		"sudo -u -S id",
		"echo 'sudo -S id'",
		"man sudo -S",
		"grep -r 'sudo -S' .",
		"sudo -E id; ls -S",
		"sudo --shell",
		"cat <<EOF\nsudo -S id\nEOF",
	])("leaves %j alone", (command) => {
		expect(pipesSudoPassword(command)).toBe(false);
	});
});
