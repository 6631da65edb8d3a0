/** Files that no file tool writes, and files that none shows. */

import { describe, expect, test } from "bun:test";
import { deviceRefusal, isAtOrBelow, readRefusal, writeRefusal } from "../../lib/security/path-safety.ts";

const folders = { home: "/srv/ann", hermesHome: "/srv/profile" };

describe("writeRefusal()", () => {
	test.each([
		"/etc/passwd",
		"/etc/cron.d/x",
		"/private/etc/hosts",
		"/private/var/db/x",
		"/boot/grub/grub.cfg",
		"/usr/lib/systemd/system/x.service",
		"/var/spool/cron/root",
		"/run/docker.sock",
		"/dev/sda",
		"/proc/sys/kernel/core_pattern",
		"/srv/ann/.ssh/authorized_keys",
		"/root/.ssh/config",
		"/home/bob/.aws/credentials",
		"/Users/bob/.config/gh/hosts.yml",
		"/srv/ann/.netrc",
		"/srv/ann/.npmrc",
		"/srv/ann/.config/systemd/user/x.service",
		"/srv/profile/config.yaml",
		"/srv/profile/approvals.json",
		"/srv/profile/.env",
		"/srv/ann/.hermes/.env",
		"/srv/ann/.hermes/auth.json",
		"/srv/profile/mcp-tokens/x",
		"/srv/profile/hooks/x",
		"/srv/profile/cron/jobs.json",
		"/srv/profile/auth.json",
		"/srv/ann/.gitconfig",
		"/srv/ann/.config/git/hooks/x",
		"/srv/ann/.local/bin/ls",
		"/srv/ann/.config/autostart/x.desktop",
		"/home/bob/.kube/config",
		"/srv/ann/.docker/config.json",
		"/srv/ann/.azure/x",
		"/srv/ann/.config/gcloud/x",
		"/srv/ann/.gnupg/x",
		"/srv/ann/.pgpass",
		"/srv/ann/.pypirc",
		"/srv/ann/.git-credentials",
		"/etc/sudoers.d/x",
		"/srv/ann/.hermes/profiles/play/auth.json",
		"/srv/profile/pairing/x",
	])("refuses %s", (path) => {
		expect(writeRefusal(path, folders)).toBeString();
	});

	test.each([
		"/srv/project/a",
		"/etcetera/x",
		"/srv/ann/.sshfoo",
		"/srv/ann/project/.npmrc",
		"/srv/project/.ssh/x",
		"/srv/project/.env",
		"/private/var/folders/ab/x",
		"/dev/shm/x",
		"/tmp/x",
		"/srv/profile/skills/a/SKILL.md",
	])("lets %s be written", (path) => {
		expect(writeRefusal(path, folders)).toBeUndefined();
	});
});

describe("readRefusal()", () => {
	test.each([
		"/srv/project/.env",
		"/srv/project/.env.local",
		"/srv/project/.env.prod",
		"/srv/project/.env.backup",
		"/srv/project/.envrc",
		"/srv/profile/auth.json",
		"/srv/ann/.hermes/mcp-tokens/x",
		"/srv/profile/skills/.hub/x",
		"/root/.ssh/id_rsa",
		"/srv/ann/.ssh/id_ed25519",
		"/srv/ann/.aws/credentials",
		"/srv/ann/.netrc",
		"/srv/ann/.hermes/profiles/play/auth.json",
		"/srv/profile/auth/google_oauth.json",
		"/srv/profile/cache/bws_cache.json",
		"/srv/profile/webhook_subscriptions.json",
	])("refuses %s", (path) => {
		expect(readRefusal(path, folders)).toBeString();
	});

	test.each([
		"/srv/project/.env.example",
		"/srv/project/.environment",
		"/srv/project/auth.json",
		"/srv/ann/.ssh/id_rsa.pub",
		"/srv/ann/.ssh/known_hosts",
		"/etc/passwd",
	])("lets %s be read", (path) => {
		expect(readRefusal(path, folders)).toBeUndefined();
	});
});

describe("writeRefusal() of the database", () => {
	test.each(["state.db", "state.db-wal", "state.db-shm", "state.db-journal"])(
		"refuses %s and nothing like it",
		(name) => {
			expect({
				own: writeRefusal(`${folders.hermesHome}/${name}`, folders),
				other: writeRefusal(`/srv/project/${name}`, folders),
			}).toEqual({ own: "it belongs to hermes itself", other: undefined });
		},
	);
});

describe("deviceRefusal()", () => {
	test.each(["/dev/zero", "/dev/stdin", "/dev/fd/0", "/proc/self/environ", "/proc/1/fd/0", "/proc/1/task/1/maps"])(
		"refuses %s",
		(path) => {
			expect(deviceRefusal(path)).toBeString();
		},
	);
	test.each(["/dev/shm/x", "/proc/cpuinfo", "/srv/proc/x/environ"])("leaves %s alone", (path) => {
		expect(deviceRefusal(path)).toBeUndefined();
	});
});

test("isAtOrBelow() compares whole names", () => {
	expect([
		isAtOrBelow("/a/b", "/a"),
		isAtOrBelow("/a", "/a"),
		isAtOrBelow("/ab", "/a"),
		isAtOrBelow("/a", "/"),
	]).toEqual([true, true, false, true]);
});

test("a profile does not open what belongs to the main home (upstream #15981)", () => {
	const profile = { home: "/srv/ann", hermesHome: "/srv/h/profiles/desk" };
	const paths = ["/srv/h/.env", "/srv/h/auth.json", "/srv/h/profiles/play/auth.json", "/srv/h/profiles/desk/auth.json"];
	expect(paths.map((path) => [typeof writeRefusal(path, profile), typeof readRefusal(path, profile)])).toEqual(
		paths.map(() => ["string", "string"]),
	);
	expect(writeRefusal("/srv/h/profiles/desk/skills/a", profile)).toBeUndefined();
});
