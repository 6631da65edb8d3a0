/** How far the settings of a backend make it a wall. */

import type { Isolation } from "../../security/approval/isolation.ts";

/** Backends whose sandboxes are on machines of a service. */
const remoteSandboxes = new Set(["modal", "managed_modal", "daytona", "vercel_sandbox"]);
/** Arguments of docker run that open the machine to the container. */
const opening =
	/^(?:--privileged|--pid|--userns|--cap-add|--device|--security-opt|--ipc=host|--volumes-from)|docker\.sock|podman\.sock|containerd\.sock/;
const workspace = "/workspace";

/** Of a backend that is not known nothing is assumed. */
export function isolationOf(backend: string, settings: unknown): Isolation {
	if (remoteSandboxes.has(backend)) return { kind: "sandbox", mounts: [] };
	if (backend !== "docker" && backend !== "singularity") return { kind: "none" };
	const known = new Map(typeof settings === "object" && settings !== null ? Object.entries(settings) : []);
	const extra = textsOf(known.get(`${backend}_extra_args`));
	const volumes = [...textsOf(known.get(`${backend}_volumes`)), ...volumesIn(extra)];
	if ([...extra, ...volumes].some((text) => opening.test(text))) return { kind: "none" };
	const isDeviceOpen = textsOf(known.get(`${backend}_devices`)).some(
		(device) => !/^\/dev\/(?:kvm|dri|nvidia|fuse)/.test(device),
	);
	if (isDeviceOpen) return { kind: "none" };
	const mounts = volumes.flatMap(writableMount);
	if (known.get(`${backend}_mount_cwd_to_workspace`) === true) mounts.push(workspace);
	return { kind: "sandbox", mounts };
}

function textsOf(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** `-v A:B`, `--volume=A:B`, `--mount type=bind,…`. */
function volumesIn(args: readonly string[]): string[] {
	const joined = args.flatMap((arg) => arg.split(/\s+/));
	return joined.flatMap((arg, index) => {
		const before = joined[index - 1] ?? "";
		if (/^(?:-v|--volume|--mount)$/.test(before)) return [asVolume(arg)];
		const glued = /^(?:--volume=|--mount=|-v=?)(.+)$/s.exec(arg)?.[1];
		return glued === undefined ? [] : [asVolume(glued)];
	});
}

/** `type=bind,source=/a,target=/b,readonly` as `/a:/b:ro`. */
function asVolume(written: string): string {
	if (!/(?:^|,)type=/.test(written)) return written;
	const field = (names: string) => new RegExp(`(?:^|,)(?:${names})=([^,]*)`).exec(written)?.[1] ?? "";
	const isReadOnly = /(?:^|,)(?:readonly|ro)(?:,|=true|=1|$)/.test(written);
	return `${field("source|src")}:${field("target|destination|dst")}${isReadOnly ? ":ro" : ""}`;
}

/** Where a folder of this machine may be written to inside; named volumes are no folders of ours. */
function writableMount(volume: string): string[] {
	const [from = "", to = from, ...options] = volume.split(":");
	const isReadOnly = options.some((option) => option.split(",").includes("ro"));
	const isFolder = /^[/~.$]/.test(from);
	return isFolder && !isReadOnly ? [to] : [];
}
