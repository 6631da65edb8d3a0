/** Flags of `docker run` as the fields of the engine's create request that they stand for. */

import type Docker from "dockerode";
import type { Part } from "./request-parts.ts";
import { bytes, decimal, whole } from "./units.ts";

/** Flags that need no value. */
export const switches: Readonly<Record<string, (on: boolean) => Part>> = {
	"--privileged": (on) => ({ host: { Privileged: on } }),
	"--read-only": (on) => ({ host: { ReadonlyRootfs: on } }),
	"--init": (on) => ({ host: { Init: on } }),
	"--oom-kill-disable": (on) => ({ host: { OomKillDisable: on } }),
};

/** Flags with a value, under their long names. They throw an Error that says what is wrong with a value. */
export const valueFlags: Readonly<Record<string, (value: string) => Part>> = {
	"--gpus": (value) => ({ host: { DeviceRequests: [gpuRequest(value)] } }),
	"--shm-size": (value) => ({ host: { ShmSize: bytes(value) } }),
	"--device": (value) => ({ host: { Devices: [device(value)] } }),
	"--network": (value) => ({ host: { NetworkMode: value } }),
	"--ipc": (value) => ({ host: { IpcMode: value } }),
	"--pid": (value) => ({ host: { PidMode: value } }),
	"--uts": (value) => ({ host: { UTSMode: value } }),
	"--userns": (value) => ({ host: { UsernsMode: value } }),
	"--runtime": (value) => ({ host: { Runtime: value } }),
	"--platform": (value) => ({ create: { platform: value } }),
	"--user": (value) => ({ create: { User: value } }),
	"--hostname": (value) => ({ create: { Hostname: value } }),
	"--workdir": (value) => ({ create: { WorkingDir: value } }),
	"--entrypoint": (value) => ({ create: { Entrypoint: value } }),
	"--env": (value) => ({ create: { Env: [assignment(value)] } }),
	"--label": (value) => ({ create: { Labels: pair(value) } }),
	"--volume": (value) => ({ host: { Binds: [volume(value)] } }),
	"--mount": (value) => ({ host: { Mounts: [mount(value)] } }),
	"--tmpfs": (value) => ({ host: { Tmpfs: tmpfs(value) } }),
	"--cap-add": (value) => ({ host: { CapAdd: [value] } }),
	"--cap-drop": (value) => ({ host: { CapDrop: [value] } }),
	"--security-opt": (value) => ({ host: { SecurityOpt: [value] } }),
	"--group-add": (value) => ({ host: { GroupAdd: [value] } }),
	"--dns": (value) => ({ host: { Dns: [value] } }),
	"--dns-search": (value) => ({ host: { DnsSearch: [value] } }),
	"--add-host": (value) => ({ host: { ExtraHosts: [value] } }),
	"--ulimit": (value) => ({ host: { Ulimits: [ulimit(value)] } }),
	"--sysctl": (value) => ({ host: { Sysctls: pair(value) } }),
	"--storage-opt": (value) => ({ host: { StorageOpt: pair(value) } }),
	"--memory": (value) => ({ host: { Memory: bytes(value) } }),
	"--memory-swap": (value) => ({ host: { MemorySwap: value === "-1" ? -1 : bytes(value) } }),
	"--memory-reservation": (value) => ({ host: { MemoryReservation: bytes(value) } }),
	"--cpus": (value) => ({ host: { NanoCpus: Math.round(decimal(value) * 1e9) } }),
	"--cpu-shares": (value) => ({ host: { CpuShares: whole(value) } }),
	"--cpuset-cpus": (value) => ({ host: { CpusetCpus: value } }),
	"--cpuset-mems": (value) => ({ host: { CpusetMems: value } }),
	"--pids-limit": (value) => ({ host: { PidsLimit: whole(value) } }),
	"--publish": publish,
};

/** Other names of the same flags. */
export const otherNames: Readonly<Record<string, string>> = {
	"-u": "--user",
	"-h": "--hostname",
	"-w": "--workdir",
	"-e": "--env",
	"-l": "--label",
	"-v": "--volume",
	"-m": "--memory",
	"-p": "--publish",
	"-c": "--cpu-shares",
	"--net": "--network",
};

function gpuRequest(value: string): Docker.DeviceRequest {
	const devices = /^"?device=([^"]+)"?$/.exec(value)?.[1];
	const request = { Driver: "", Capabilities: [["gpu"]] };
	if (devices !== undefined) return { ...request, DeviceIDs: devices.split(",") };
	return { ...request, Count: value === "all" ? -1 : whole(value) };
}

function device(value: string) {
	const [path = "", second, third] = value.split(":");
	if (!path.startsWith("/")) throw new Error(`"${value}" is no device such as /dev/kvm`);
	const isPermission = third === undefined && second !== undefined && /^[rwm]+$/.test(second);
	return {
		PathOnHost: path,
		PathInContainer: second === undefined || isPermission ? path : second,
		CgroupPermissions: (isPermission ? second : third) ?? "rwm",
	};
}

function assignment(value: string): string {
	// Without a value the client would send the host's own; docker_forward_env is the place that says so openly.
	if (!/^[^=]+=/.test(value)) throw new Error(`"${value}" is no NAME=value; list the name in docker_forward_env`);
	return value;
}

function pair(value: string): Record<string, string> {
	const at = value.indexOf("=");
	return at === -1 ? { [value]: "" } : { [value.slice(0, at)]: value.slice(at + 1) };
}

function volume(value: string): string {
	if (!/^[^:]+:\/[^:]*(?::[\w,]+)?$/.test(value)) throw new Error(`"${value}" is no volume such as /here:/there`);
	return value;
}

function tmpfs(value: string): Record<string, string> {
	const [path = "", options = ""] = value.split(/:(.*)/s);
	return { [path]: options };
}

function ulimit(value: string): Docker.Ulimit {
	const [, name, soft = "", hard] = /^(\w+)=(-?\d+)(?::(-?\d+))?$/.exec(value) ?? [];
	if (name === undefined) throw new Error(`"${value}" is no limit such as nofile=1024:4096`);
	return { Name: name, Soft: whole(soft), Hard: whole(hard ?? soft) };
}

function mount(value: string): Docker.MountSettings {
	const fields: Record<string, string> = Object.assign({}, ...value.split(",").map(pair));
	const Target = fields.target ?? fields.destination ?? fields.dst;
	const Type = (["bind", "volume", "tmpfs"] as const).find((type) => type === (fields.type ?? "volume"));
	if (Target === undefined || Type === undefined) {
		throw new Error(`"${value}" is no mount such as type=bind,source=/here,target=/there`);
	}
	const ReadOnly = ["readonly", "ro"].some((name) => name in fields && fields[name] !== "false");
	return { Type, Source: fields.source ?? fields.src ?? "", Target, ReadOnly };
}

function publish(value: string): Part {
	const [, address = "", outside = "", inside, protocol = "tcp"] =
		/^(?:(?:([\d.]+|\[[^\]]+\]):)?(\d*):)?(\d+)(?:\/(tcp|udp|sctp))?$/.exec(value) ?? [];
	if (inside === undefined) throw new Error(`"${value}" is no port such as 8080:80`);
	const port = `${inside}/${protocol}`;
	const HostIp = address.replace(/[[\]]/g, "");
	return {
		create: { ExposedPorts: { [port]: {} } },
		host: { PortBindings: { [port]: [{ HostIp, HostPort: outside }] } },
	};
}
