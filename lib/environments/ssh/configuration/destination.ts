/** Where a connection goes and what it may use: the settings together with what ssh_config says about the host. */

import { userInfo } from "node:os";
import { BackendUnavailable } from "../../backend.ts";
import { type SshSettings, usualPort } from "../settings.ts";
import { expandName, type NameParts } from "./expand-name.ts";
import { type HostConfig, readHostConfig } from "./ssh-config.ts";

/** One host to log in to. */
export interface Destination {
	readonly host: string;
	readonly port: number;
	readonly user: string;
	/** The name under which its key is known: `host`, or `[host]:port`. */
	readonly keyName: string;
	readonly identities: Identities;
	readonly knownHosts: KnownHostsFiles;
	readonly connectTimeoutMs: number;
	readonly keepAlive: { readonly intervalMs: number; readonly count: number };
	/** Hosts to go through, outermost first. */
	readonly jumps: readonly Destination[];
}

/** The keys that a user may log in with. */
export interface Identities {
	/** The file that the settings name, tried before anything else. */
	readonly ownKey: string | undefined;
	/** Further key files in the order in which they are tried; some may not exist. */
	readonly files: readonly string[];
	/** The agent may offer no other keys than those of the files. */
	readonly areExclusive: boolean;
	/** Socket of the agent. */
	readonly agent: string | undefined;
}

/** The files that hold the keys of known hosts. */
export interface KnownHostsFiles {
	/** A new host's key is added to the first of them. */
	readonly user: readonly string[];
	readonly system: readonly string[];
	/** A host that is not known is refused. */
	readonly isStrict: boolean;
	/** Names of new hosts are written as hashes. */
	readonly hashesNames: boolean;
}

/** When nobody says otherwise. */
const usualConnectSeconds = 15;
const usualKeepAliveSeconds = 15;
const usualKeepAliveCount = 3;
const usualIdentities = ["id_ed25519", "id_ecdsa", "id_rsa", "id_ed25519_sk", "id_ecdsa_sk"];

/** A host as a user names it, with what stands before and after the name. */
interface Named {
	readonly host: string;
	readonly user?: string | undefined;
	readonly port?: number | undefined;
}

/** What all hosts of one connection have in common. */
interface Resolving {
	readonly settings: SshSettings;
	readonly environment: Readonly<Record<string, string>>;
	readonly localUser: string;
	readonly home: string;
	/** Names of the hosts that are being resolved, to see a circle. */
	readonly via: readonly string[];
}

/** A destination without its jumps, and where it comes from. */
interface Resolved {
	readonly destination: Destination;
	readonly config: HostConfig;
}

/**
 * Resolves the host of `settings`. `environment` is the host's own: HOME, USER, SSH_AUTH_SOCK.
 * @throws {BackendUnavailable} When ssh_config cannot be read or asks for what only the ssh program can do.
 */
export function resolveDestination(settings: SshSettings, environment: Readonly<Record<string, string>>): Destination {
	const port = settings.ssh_port === usualPort ? undefined : settings.ssh_port;
	const localUser = environment.USER || environment.LOGNAME || userInfo().username;
	const resolving = { settings, environment, localUser, home: environment.HOME ?? "", via: [] };
	const named = { host: settings.ssh_host, user: settings.ssh_user || undefined, port };
	const resolved = resolveOne(named, resolving, settings.ssh_key);
	return { ...resolved.destination, jumps: resolveJumps(named.host, resolved, resolving) };
}

function resolveOne(named: Named, resolving: Resolving, ownKey: string): Resolved {
	const config = readConfig(named, resolving);
	const host = (first(config, "hostname") ?? named.host).replaceAll("%h", named.host).replaceAll("%%", "%");
	const port = named.port ?? (Number(first(config, "port")) || usualPort);
	const user = named.user ?? first(config, "user") ?? resolving.localUser;
	const file = (name: string) => expandName(name, { ...resolving, host, port, user } satisfies NameParts);
	const alias = first(config, "hostkeyalias");
	const destination: Destination = {
		host,
		port,
		user,
		keyName: alias ?? (port === usualPort ? host : `[${host}]:${port}`),
		identities: identitiesOf(config, { resolving, file, ownKey }),
		knownHosts: knownHostsOf(config, file),
		...limitsOf(config, resolving.settings),
		jumps: [],
	};
	return { destination, config };
}

function readConfig({ host, user }: Named, { localUser, home, settings }: Resolving): HostConfig {
	let config: HostConfig;
	try {
		config = readHostConfig({ host, user, localUser, home, file: settings.ssh_config_file || undefined });
	} catch (cause) {
		throw new BackendUnavailable(`Cannot use ssh: ${cause instanceof Error ? cause.message : cause}`, { cause });
	}
	const proxy = first(config, "proxycommand");
	if (proxy === undefined || proxy.toLowerCase() === "none" || config.has("proxyjump")) return config;
	throw new BackendUnavailable(
		`Cannot reach "${host}" over ssh: ~/.ssh/config gives it a ProxyCommand, which only the ssh program runs; set terminal.ssh_transport to openssh`,
	);
}

/**
 * `a,b` goes through a to b. As with OpenSSH, a's own ProxyJump counts and b's does not, since b is reached through a.
 */
function resolveJumps(name: string, { destination: target, config }: Resolved, resolving: Resolving): Destination[] {
	const value = first(config, "proxyjump") ?? "none";
	if (value.toLowerCase() === "none") return [];
	const via = [...resolving.via, name];
	const { host, port, user } = target;
	const jumps = value.split(",").map((jump) => {
		const text = jump.trim().replaceAll("%h", host).replaceAll("%p", String(port)).replaceAll("%r", user);
		return parseNamed(text);
	});
	return jumps.flatMap((jump, index) => {
		if (via.includes(jump.host)) {
			throw new BackendUnavailable(`Cannot reach "${name}" over ssh: its ProxyJump leads back to "${jump.host}"`);
		}
		const resolved = resolveOne(jump, resolving, "");
		const before = index === 0 ? resolveJumps(jump.host, resolved, { ...resolving, via }) : [];
		return [...before, resolved.destination];
	});
}

/** `user@host:port`, `ssh://user@host:port`, an IPv6 address in brackets. */
function parseNamed(text: string): Named {
	const found = /^(?:ssh:\/\/)?(?:(.*)@)?(?:\[([^\]]+)\]|([^:[\]]+|[^[\]]*:[^[\]]*:[^[\]]*))(?::(\d+))?\/?$/.exec(text);
	const [, user, bracketed, plain, port] = found ?? [];
	return { host: bracketed ?? plain ?? text, user, port: port === undefined ? undefined : Number(port) };
}

function identitiesOf(
	config: HostConfig,
	{ resolving, file, ownKey }: { resolving: Resolving; file(name: string): string; ownKey: string },
): Identities {
	const configured = config.get("identityfile")?.filter((name) => name.toLowerCase() !== "none");
	const usual = resolving.home === "" ? [] : usualIdentities.map((name) => `~/.ssh/${name}`);
	const own = ownKey === "" ? undefined : file(ownKey);
	return {
		ownKey: own,
		files: (configured ?? usual).map(file).filter((name) => name !== own),
		areExclusive: isYes(first(config, "identitiesonly")),
		agent: agentSocket(first(config, "identityagent"), resolving.environment, file),
	};
}

function agentSocket(
	configured: string | undefined,
	environment: Readonly<Record<string, string>>,
	file: (name: string) => string,
): string | undefined {
	if (configured === undefined || configured === "SSH_AUTH_SOCK") return environment.SSH_AUTH_SOCK || undefined;
	if (configured.toLowerCase() === "none") return undefined;
	return configured.startsWith("$") ? environment[configured.slice(1)] : file(configured);
}

function knownHostsOf(config: HostConfig, file: (name: string) => string): KnownHostsFiles {
	const files = (keyword: string, usual: readonly string[]) =>
		(config.get(keyword) ?? usual).filter((name) => name.toLowerCase() !== "none").map(file);
	return {
		user: files("userknownhostsfile", ["~/.ssh/known_hosts", "~/.ssh/known_hosts2"]),
		system: files("globalknownhostsfile", ["/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"]),
		isStrict: isYes(first(config, "stricthostkeychecking")),
		hashesNames: isYes(first(config, "hashknownhosts")),
	};
}

function limitsOf(config: HostConfig, settings: SshSettings) {
	const number = (setting: number, keyword: string, usual: number) =>
		setting || Number(first(config, keyword)) || usual;
	return {
		connectTimeoutMs: 1000 * number(settings.ssh_connect_timeout, "connecttimeout", usualConnectSeconds),
		keepAlive: {
			intervalMs: 1000 * number(settings.ssh_keepalive_interval, "serveraliveinterval", usualKeepAliveSeconds),
			count: number(settings.ssh_keepalive_count, "serveralivecountmax", usualKeepAliveCount),
		},
	};
}

function first(config: HostConfig, keyword: string): string | undefined {
	return config.get(keyword)?.[0];
}

function isYes(value: string | undefined): boolean {
	return value?.toLowerCase() === "yes";
}
