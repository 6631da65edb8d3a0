/** What the engine is asked to create, from settings; nothing here needs an engine. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createRequest } from "../../../lib/environments/docker/container/create-request.ts";
import { planMounts } from "../../../lib/environments/docker/container/mounts.ts";
import { checkedReference, pullName, registryOf } from "../../../lib/environments/docker/image/reference.ts";
import { type DockerSettings, settings } from "../../../lib/environments/docker/settings.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const facts = {
	entrypoint: [] as readonly string[],
	processors: 2,
	mounts: { binds: [], tmpfs: {} },
	user: undefined as string | undefined,
};

function request(chosen: Partial<DockerSettings> = {}, changed: Partial<typeof facts> = {}) {
	return createRequest(settings.parse({ docker_image: "box:1", ...chosen }), { ...facts, ...changed });
}

describe("createRequest()", () => {
	test("drops capabilities, limits resources and gives writable memory", () => {
		expect(request({ docker_env: { B: "2", A: "1" } })).toEqual({
			Image: "box:1",
			Cmd: ["sleep", "infinity"],
			Env: ["A=1", "B=2"],
			HostConfig: {
				CapDrop: ["ALL"],
				CapAdd: ["DAC_OVERRIDE", "CHOWN", "FOWNER", "SETUID", "SETGID"],
				SecurityOpt: ["no-new-privileges"],
				PidsLimit: 256,
				Init: true,
				NanoCpus: 1_000_000_000,
				Memory: 5120 * 1024 * 1024,
				Binds: [],
				Tmpfs: {
					"/tmp": "rw,exec,nosuid,size=512m",
					"/var/tmp": "rw,noexec,nosuid,size=256m",
					"/run": "rw,noexec,nosuid,size=64m",
				},
			},
		});
	});

	test("leaves process 1 and an executable /run to images with a supervisor (#34628)", () => {
		const { HostConfig } = request({}, { entrypoint: ["/init"] });
		expect({ init: HostConfig?.Init, run: HostConfig?.Tmpfs?.["/run"] }).toEqual({
			init: false,
			run: "rw,exec,nosuid,size=64m",
		});
	});

	test("gives fewer capabilities to a container with a user, and no more processors than there are", () => {
		const { User, HostConfig } = request({ container_cpu: 64, container_memory: 0 }, { user: "1000:1000" });
		expect({ User, caps: HostConfig?.CapAdd, cpus: HostConfig?.NanoCpus, memory: HostConfig?.Memory }).toEqual({
			User: "1000:1000",
			caps: ["DAC_OVERRIDE", "CHOWN", "FOWNER"],
			cpus: 2_000_000_000,
			memory: undefined,
		});
	});

	test.each<[Partial<DockerSettings>, object]>([
		[{ docker_gpus: "all" }, { DeviceRequests: [{ Driver: "", Capabilities: [["gpu"]], Count: -1 }] }],
		[
			{ docker_gpus: "device=0,1" },
			{ DeviceRequests: [{ Driver: "", Capabilities: [["gpu"]], DeviceIDs: ["0", "1"] }] },
		],
		[{ docker_shm_size: "1.5g" }, { ShmSize: 1.5 * 1024 ** 3 }],
		[
			{ docker_devices: ["/dev/kvm", "/dev/a:/dev/b:r"] },
			{ Devices: [device("/dev/kvm"), device("/dev/a", "/dev/b", "r")] },
		],
		[
			{ docker_network: "none", docker_ipc: "host", docker_runtime: "runsc" },
			{ NetworkMode: "none", IpcMode: "host", Runtime: "runsc" },
		],
		[{ docker_extra_args: ["--network=host", "--ipc", "host"] }, { NetworkMode: "host", IpcMode: "host" }],
		[{ docker_extra_args: ["--device /dev/kvm"] }, { Devices: [device("/dev/kvm")] }],
		[{ docker_extra_args: ["--memory=2g", "--pids-limit", "1000"] }, { Memory: 2 * 1024 ** 3, PidsLimit: 1000 }],
		[
			{ docker_extra_args: ["--cap-add=SYS_PTRACE"] },
			{ CapAdd: ["DAC_OVERRIDE", "CHOWN", "FOWNER", "SETUID", "SETGID", "SYS_PTRACE"] },
		],
		[
			{ docker_extra_args: ["--ulimit", "nofile=1:2", "--sysctl=a=b"] },
			{ Ulimits: [{ Name: "nofile", Soft: 1, Hard: 2 }], Sysctls: { a: "b" } },
		],
		[{ docker_extra_args: ["-v", "/a:/b:ro", "--tmpfs=/x:size=1m"] }, { Binds: ["/a:/b:ro"] }],
		[
			{ docker_extra_args: ["-p", "127.0.0.1:8080:80"] },
			{ PortBindings: { "80/tcp": [{ HostIp: "127.0.0.1", HostPort: "8080" }] } },
		],
		[
			{ docker_extra_args: ["--mount", "type=bind,src=/a,dst=/b,readonly"] },
			{ Mounts: [{ Type: "bind", Source: "/a", Target: "/b", ReadOnly: true }] },
		],
		[{ docker_extra_args: ["--privileged", "--read-only=false"] }, { Privileged: true, ReadonlyRootfs: false }],
	])("translates %j", (chosen, host) => {
		expect(request(chosen).HostConfig).toMatchObject(host);
	});

	test("adds to what is set elsewhere", () => {
		const made = request({ docker_env: { A: "1" }, docker_extra_args: ["-e", "B=2=3", "--user=1:2", "-l", "a=b"] });
		expect({ Env: made.Env, User: made.User, Labels: made.Labels }).toEqual({
			Env: ["A=1", "B=2=3"],
			User: "1:2",
			Labels: { a: "b" },
		});
	});

	test.each<[string[], string]>([
		[
			["--gpu=all"],
			'Cannot use "--gpu" of terminal.docker_extra_args: hermes does not know this flag; did you mean --gpus?',
		],
		[["rm -rf /"], 'Cannot use "rm -rf /" of terminal.docker_extra_args: hermes does not know this flag'],
		[["--name", "x"], 'Cannot use "--name"'],
		[["--memory", "much"], 'Cannot use "--memory" of terminal.docker_extra_args: "much" is no size such as 512m or 2g'],
		[["--network"], 'Cannot use "--network" of terminal.docker_extra_args: it needs a value'],
		[["-e", "HOME"], "list the name in docker_forward_env"],
	])("refuses docker_extra_args %j", (docker_extra_args, message) => {
		expect(() => request({ docker_extra_args })).toThrow(message);
	});
});

function device(outside: string, inside = outside, CgroupPermissions = "rwm") {
	return { PathOnHost: outside, PathInContainer: inside, CgroupPermissions };
}

describe("planMounts()", () => {
	function plan(chosen: Partial<DockerSettings>, home: string, isLocal = true) {
		const warnings: string[] = [];
		const warn = (text: string) => void warnings.push(text);
		const mounts = planMounts(settings.parse(chosen), { isLocal, taskId: "a/b", home, userHome: home, warn });
		return { ...mounts, warnings };
	}

	test("keeps home and workspace below the sandbox folder, or in volumes of a distant engine", () => {
		using home = temporaryFolder();
		const root = join(home.path, "sandboxes/docker/a_b");
		expect(plan({}, home.path)).toEqual({
			binds: [`${root}/home:/root`, `${root}/workspace:/workspace`],
			tmpfs: {},
			warnings: [],
		});
		expect(plan({}, home.path, false).binds).toEqual(["hermes-a_b-home:/root", "hermes-a_b-workspace:/workspace"]);
	});

	test("gives memory to a container that is thrown away", () => {
		expect(plan({ container_persistent: false }, "/nope")).toEqual({
			binds: [],
			tmpfs: {
				"/workspace": "rw,exec,size=10g",
				"/home": "rw,exec,size=1g",
				"/root": "rw,exec,size=1g",
			},
			warnings: [],
		});
	});

	test("mounts the current folder only when asked, when it is there and nothing else is", () => {
		using home = temporaryFolder();
		const chosen = { container_persistent: false, docker_mount_cwd_to_workspace: true, cwd: home.path };
		const tmpfs = { "/home": "rw,exec,size=1g", "/root": "rw,exec,size=1g" };
		expect(plan(chosen, "/x")).toEqual({ binds: [`${home.path}:/workspace`], tmpfs, warnings: [] });
		expect(plan({ ...chosen, docker_volumes: ["/data:/workspace"] }, "/x")).toEqual({
			binds: ["/data:/workspace"],
			tmpfs,
			warnings: [],
		});
		expect(plan({ ...chosen, cwd: `${home.path}/gone` }, "/x").warnings).toEqual([
			`Cannot mount "${home.path}/gone" at /workspace: there is no such folder`,
		]);
		expect(plan(chosen, "/x", false).warnings[0]).toContain("the engine runs on another machine");
	});

	test("leaves out volumes that are none, and says so", () => {
		const { binds, warnings } = plan(
			{ container_persistent: false, docker_volumes: ["~/a:/b:ro", "data:/d", "/x", ":/y"] },
			"/me",
		);
		expect({ binds, count: warnings.length }).toEqual({ binds: ["/me/a:/b:ro", "data:/d"], count: 2 });
	});
});

describe("checkedReference()", () => {
	test.each([
		"debian",
		"debian:12",
		"nikolaik/python-nodejs:python3.11-nodejs20",
		"127.0.0.1:5000/a/b:host",
		"[::1]:5000/a",
		"ghcr.io/o/i@sha256:0123456789abcdef0123456789abcdef",
		"a/b:1@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		"a__b/c.d-e",
	])("takes %s", (text) => {
		expect(checkedReference(text, {})).toBe(text);
	});

	test.each([
		["export PATH=/usr/bin", "it holds a space or a line break"],
		['"debian"', "it looks like shell text"],
		["", "it is empty"],
		["Debian", "a name has lower-case letters only"],
		["https://ghcr.io/a", "an image name has no scheme"],
		["a:b:c", "it is no name[:tag]"],
	])("refuses %j: %s", (text, problem) => {
		expect(() => checkedReference(text, {})).toThrow(`as an image: ${problem}; it comes from terminal.docker_image`);
		expect(() => checkedReference(text, { TERMINAL_DOCKER_IMAGE: text })).toThrow(
			"it comes from the variable TERMINAL_DOCKER_IMAGE",
		);
	});

	test("finds registry and the name to pull", () => {
		expect(["debian", "a/b", "docker.io/a", "localhost/a", "127.0.0.1:5/a", "ghcr.io/a/b:1"].map(registryOf)).toEqual([
			...["https://index.docker.io/v1/", "https://index.docker.io/v1/", "https://index.docker.io/v1/"],
			...["localhost", "127.0.0.1:5", "ghcr.io"],
		]);
		expect(pullName("a/b:1@sha256:0123456789abcdef0123456789abcdef")).toBe(
			"a/b@sha256:0123456789abcdef0123456789abcdef",
		);
		expect(pullName("a/b:1")).toBe("a/b:1");
	});
});

describe("settings", () => {
	test("writes numbers and switches of docker_env as text, and refuses what is neither", () => {
		expect(settings.parse({ docker_env: { A: 1, B: true } }).docker_env).toEqual({ A: "1", B: "true" });
		expect(settings.safeParse({ docker_env: { A: {} } }).success).toBe(false);
		expect(settings.safeParse({ docker_env: { "a b": "1" } }).success).toBe(false);
	});
});
