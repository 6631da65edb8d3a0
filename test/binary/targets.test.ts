/** The executables for other machines: what they are, and that those for Linux run, under QEMU and with musl where need be. */

import { describe, expect, test } from "bun:test";
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { targets } from "../../scripts/targets.ts";
import { builtTargets, distFolder } from "../support/built-binary.ts";
import { requireService, serviceVariable } from "../support/required-service.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const areBuilt = await requireService("targets", builtTargets);
const isX64Linux = process.platform === "linux" && process.arch === "x64";
const [qemu, musl] = [await hasQemu(), await hasMusl()];

/** The words before the executable's path, by target; undefined where it cannot run here. */
const runners: Readonly<Record<string, readonly string[] | undefined>> = {
	"linux-x64": isX64Linux ? [] : undefined,
	"linux-arm64": qemu ? [emulator(), "-L", serviceVariable("HERMES_TEST_QEMU_AARCH64_ROOT")] : undefined,
	"linux-x64-musl": isX64Linux && musl ? loader("x64") : undefined,
	"linux-arm64-musl": qemu && musl ? [emulator(), ...loader("arm64")] : undefined,
};

function hasQemu(): Promise<boolean> {
	return requireService("qemu", async () => {
		const library = join(serviceVariable("HERMES_TEST_QEMU_AARCH64_ROOT"), "lib/ld-linux-aarch64.so.1");
		const ran = await runProgram([emulator(), library, "--version"], { cwd: "/", env: {} });
		if (ran.exitCode !== 0) throw new Error(ran.stderr.trim());
	});
}

function hasMusl(): Promise<boolean> {
	return requireService("musl", async () => {
		const [program = ""] = loader("x64");
		if (!existsSync(program)) throw new Error(`${program} is not there`);
	});
}

function emulator(): string {
	return serviceVariable("HERMES_TEST_QEMU_AARCH64");
}

/** musl is its own loader, and is told where the C++ libraries are. */
function loader(architecture: string): string[] {
	const folder = join(serviceVariable("HERMES_TEST_MUSL"), architecture);
	return [join(folder, "libc.so"), "--library-path", folder];
}

/** How executables of each system begin: ELF with its machine, Mach-O with its processor, and DOS's mark. */
const beginnings: Readonly<Record<string, string>> = {
	"linux-x64": "ELF 62",
	"linux-arm64": "ELF 183",
	"linux-x64-musl": "ELF 62",
	"linux-arm64-musl": "ELF 183",
	"darwin-arm64": "Mach-O 0x100000c",
	"darwin-x64": "Mach-O 0x1000007",
	"windows-x64": "PE 0x8664",
	"windows-arm64": "PE 0xaa64",
};

function beginningOf(file: string): string {
	const bytes = Buffer.alloc(4096);
	const descriptor = openSync(join(distFolder, file), "r");
	readSync(descriptor, bytes);
	closeSync(descriptor);
	if (bytes.subarray(1, 4).toString() === "ELF") return `ELF ${bytes.readUInt16LE(18)}`;
	if (bytes.readUInt32LE(0) === 0xfeedfacf) return `Mach-O 0x${bytes.readUInt32LE(4).toString(16)}`;
	const header = bytes.readUInt32LE(60);
	return `${bytes.subarray(header, header + 2)} 0x${bytes.readUInt16LE(header + 4).toString(16)}`;
}

describe.skipIf(!areBuilt)("the executables of all targets", () => {
	test("are there, each for its own machine", () => {
		expect(Object.fromEntries(targets.map(({ name, file }) => [name, beginningOf(file)]))).toEqual(beginnings);
	});

	test("have the sums that SHA256SUMS says", async () => {
		const { stdout, exitCode } = await runProgram(["sha256sum", "-c", "SHA256SUMS"], {
			cwd: distFolder,
			env: { PATH: process.env.PATH ?? "", LC_ALL: "C" },
		});
		expect({ stdout, exitCode }).toEqual({
			stdout: targets.map(({ file }) => `${file}: OK\n`).join(""),
			exitCode: 0,
		});
	}, 60_000);

	test.each(["linux-x64", "linux-arm64"])(
		"%s needs no newer glibc than 2.17",
		async (name) => {
			// By another process: the memory of this one is measured by other tests.
			const search = ["grep", "-aohE", "GLIBC_2\\.[0-9]+", join(distFolder, `hermes-${name}`)];
			const { stdout } = await runProgram(search, {
				cwd: distFolder,
				env: { PATH: process.env.PATH ?? "", LC_ALL: "C" },
			});
			const minors = stdout
				.trimEnd()
				.split("\n")
				.map((version) => Number(version.split(".")[1]));
			expect(Math.max(...minors)).toBe(17);
		},
		60_000,
	);
});

for (const { name, file } of targets.filter(({ isExperimental }) => !isExperimental)) {
	const words = runners[name];
	describe.skipIf(!areBuilt || words === undefined)(`the executable for ${name}`, () => {
		const start = async (args: readonly string[]) => {
			using home = temporaryFolder();
			const env = { HOME: home.path, PATH: "/usr/local/bin:/usr/bin:/bin", NO_COLOR: "1" };
			return await runProgram([...(words ?? []), join(distFolder, file), ...args], { cwd: home.path, env });
		};

		test("tells its version", async () => {
			const { stdout, stderr, exitCode } = await start(["--version"]);
			expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
			expect(stdout).toMatch(/^hermes \d+\.\d+\.\d+/);
		}, 60_000);

		test("plays the demonstration: its first step fails as it must, its last passes", async () => {
			const { stdout, stderr, exitCode } = await start(["demo"]);
			expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
			expect(stdout).toMatch(/▸ terminal sh test\.sh\n(?: {2}│ .*\n)+ {2}✗ terminal · exit 1 · .* · local\n/);
			expect(stdout).toContain("✓ the test passes");
		}, 120_000);
	});
}
