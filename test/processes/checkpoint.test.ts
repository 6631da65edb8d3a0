import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { isOwnerAlive, thisOwner } from "../../lib/processes/checkpoint.ts";

const statOf = (pid: number) => {
	const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
	return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
};

test.skipIf(process.platform !== "linux")(
	"isOwnerAlive() is false of one that has ended and that its parent leaves unburied",
	async () => {
		expect(isOwnerAlive(thisOwner())).toBe(true);
		// The program that takes the shell's place does not know of the shell's child.
		await using parent = Bun.spawn(["sh", "-c", "sleep 0.3 & echo $!; exec sleep 60"], { stdout: "pipe" });
		const { value } = await parent.stdout.getReader().read();
		const pid = Number(new TextDecoder().decode(value));
		while (statOf(pid)[0] !== "Z") await Bun.sleep(5);
		const [boot] = thisOwner().start.split(" ");
		expect(isOwnerAlive({ pid, start: `${boot} ${statOf(pid)[19]}` })).toBe(false);
	},
);
