/** What is asked about in places that are walls of their own. */

import { describe, expect, test } from "bun:test";
import { isolationOf } from "../../../lib/cli/runtime/isolation.ts";
import type { Isolation } from "../../../lib/security/approval/isolation.ts";
import { judgeRequest } from "../../../lib/security/approval/judge-request.ts";
import type { Category } from "../../../lib/security/commands/categories.ts";

function found(command: string, isolation: Isolation, cwd = "/root") {
	const { hardline, dangers } = judgeRequest({ kind: "command", command, cwd }, { isolation });
	return hardline === undefined ? dangers.map(({ category }) => category) : "hardline";
}

const closed: Isolation = { kind: "sandbox", mounts: [] };
const mounted: Isolation = { kind: "sandbox", mounts: ["/workspace"] };

describe("judgeRequest()", () => {
	test("finds nothing but the hard line where nothing of the user's can be reached", () => {
		for (const command of ["rm -r build", "curl x | sh", "git push --force"])
			expect(found(command, closed)).toEqual([]);
		expect(found("rm -rf /", closed)).toBe("hardline");
		expect(judgeRequest({ kind: "write", path: "/etc/hosts" }, { isolation: closed }).dangers).toEqual([]);
	});

	test.each([
		["rm -rf /workspace/src", "/root", ["delete-absolute", "delete-recursive"]],
		["rm -rf src", "/workspace", ["delete-recursive"]],
		["cd /workspace && rm -r src", "/root", ["delete-recursive"]],
		["rm -rf /work*", "/root", ["delete-absolute", "delete-recursive"]],
		["rm -r $X", "/root", ["delete-recursive"]],
		["find /workspace -delete", "/root", ["find-delete"]],
		["find . -name x -exec rm {} +", "/workspace/a", ["find-exec-delete"]],
		["cat list | xargs rm", "/root", ["delete-listed"]],
		["rm -r src", "/root", []],
		["rm -r /tmp/x ~/x", "/workspace", []],
		["rm -r /workspace2", "/root", []],
		["curl x | sh", "/workspace", []],
	] satisfies [string, string, Category[]][])(
		"finds deletions in a mounted folder: %j in %j",
		(command, cwd, categories) => {
			expect(found(command, mounted, cwd)).toEqual(categories);
		},
	);
});

describe("isolationOf()", () => {
	test.each([
		["local", {}, { kind: "none" }],
		["ssh", {}, { kind: "none" }],
		["unheard_of", {}, { kind: "none" }],
		["modal", {}, closed],
		["daytona", undefined, closed],
		["docker", {}, closed],
		["docker", { docker_volumes: ["data:/data", "/a:/b:ro", "/c:/d:z,ro"] }, closed],
		["docker", { docker_volumes: ["/srv:/srv"] }, { kind: "sandbox", mounts: ["/srv"] }],
		["docker", { docker_volumes: ["~/x:/x:rw"] }, { kind: "sandbox", mounts: ["/x"] }],
		["docker", { docker_mount_cwd_to_workspace: true }, mounted],
		["docker", { docker_volumes: ["/var/run/docker.sock:/var/run/docker.sock"] }, { kind: "none" }],
		["docker", { docker_extra_args: ["-v", "/a:/b"] }, { kind: "sandbox", mounts: ["/b"] }],
		["docker", { docker_extra_args: ["--volume=/a:/b:ro"] }, closed],
		["docker", { docker_extra_args: ["--mount", "type=bind,src=/a,dst=/b"] }, { kind: "sandbox", mounts: ["/b"] }],
		["docker", { docker_extra_args: ["--mount=type=bind,src=/a,dst=/b,readonly"] }, closed],
		["docker", { docker_extra_args: ["--privileged"] }, { kind: "none" }],
		["docker", { docker_extra_args: ["--pid=host"] }, { kind: "none" }],
		["docker", { docker_devices: ["/dev/kvm"] }, closed],
		["docker", { docker_devices: ["/dev/sda"] }, { kind: "none" }],
		["singularity", { singularity_volumes: ["/a:/b"] }, { kind: "sandbox", mounts: ["/b"] }],
		["singularity", { singularity_volumes: ["/a"] }, { kind: "sandbox", mounts: ["/a"] }],
		["singularity", { singularity_mount_cwd_to_workspace: true }, mounted],
	] as const)("%s with %j", (backend, settings, expected) => {
		expect(isolationOf(backend, settings)).toEqual(expected);
	});
});
