/** Files that a model must not write, and files whose content it must not read, whatever it was allowed to do. */

/** The folders that decide which files are the user's secrets. All absolute, as the sandbox sees them. */
export interface HomeFolders {
	readonly home: string;
	readonly hermesHome: string;
}

/** Below a home: what logs the user in somewhere, or what runs without being asked. */
const privateFolders = [".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".config/gh", ".config/gcloud"];
const startupFolders = [".config/systemd", ".config/autostart", ".local/bin", ".config/git"];
const startupFiles = [".gitconfig"];
const privateFiles = [".netrc", ".pgpass", ".npmrc", ".pypirc", ".git-credentials"];

/** `/private/…` is where macOS keeps the real `/etc` and `/var`. */
const systemFolders = [
	"/etc",
	"/boot",
	"/usr/lib/systemd",
	"/lib/systemd",
	"/private/etc",
	"/private/var",
	"/var/spool/cron",
];
/** Temporary folders of macOS are below a folder of the system. */
const openFolders = ["/private/var/folders", "/private/var/tmp"];
const sockets = new Set(["/var/run/docker.sock", "/run/docker.sock"]);

/** Of our own home: what holds keys, or decides what a model may do. */
const ownWriteDenied = [
	"config.yaml",
	"approvals.json",
	"auth.json",
	"auth.lock",
	".env",
	".anthropic_oauth.json",
	"mcp-tokens",
	"mcp-serve.key",
	"pairing",
	"hooks",
	"cron/jobs.json",
	"state.db",
	"state.db-journal",
	"state.db-shm",
	"state.db-wal",
];
const ownReadDenied = [
	"auth.json",
	"auth.lock",
	".anthropic_oauth.json",
	".env",
	"webhook_subscriptions.json",
	"auth/google_oauth.json",
	"cache/bws_cache.json",
	"mcp-tokens",
	"mcp-serve.key",
	"skills/.hub",
];
/** Samples hold names without values. */
const sampleEnv = /^\.env\.(example|sample|template|dist|defaults)$/i;

/**
 * Why the file at `path` (absolute, links resolved) must not be written; undefined when nothing is against it.
 */
export function writeRefusal(path: string, folders: HomeFolders): string | undefined {
	const isDevice = isAtOrBelow(path, "/dev") && !isAtOrBelow(path, "/dev/shm");
	if (sockets.has(path) || isDevice || isAtOrBelow(path, "/proc") || isAtOrBelow(path, "/sys")) {
		return "devices and kernel files are not written with file tools";
	}
	if (
		systemFolders.some((folder) => isAtOrBelow(path, folder)) &&
		!openFolders.some((folder) => isAtOrBelow(path, folder))
	) {
		return "files of the system are not written with file tools";
	}
	const ownHomes = ownHomesOf(path, folders);
	if (ownHomes.some((home) => ownWriteDenied.some((name) => isAtOrBelow(path, `${home}/${name}`)))) {
		return "it belongs to hermes itself";
	}
	const inHome = belowHome(path, folders);
	if (inHome === undefined) return undefined;
	const isPrivate = [...privateFolders, ...privateFiles].some((name) => isAtOrBelow(inHome, name));
	if (isPrivate) return "it holds credentials, or decides what runs at log-in";
	const isStartup = [...startupFolders, ...startupFiles].some((name) => isAtOrBelow(inHome, name));
	return isStartup ? "it decides what runs later, without anybody being asked" : undefined;
}

/** Why the content of `path` (absolute, links resolved) must not be shown; undefined when nothing is against it. */
export function readRefusal(path: string, folders: HomeFolders): string | undefined {
	const name = path.split("/").at(-1) ?? "";
	if ((/^\.env(\.|$)/i.test(name) && !sampleEnv.test(name)) || name === ".envrc") {
		return "it holds secrets; a sample such as .env.example shows the names without the values";
	}
	if (ownHomesOf(path, folders).some((home) => ownReadDenied.some((own) => isAtOrBelow(path, `${home}/${own}`)))) {
		return "it holds secrets of hermes itself";
	}
	const inHome = belowHome(path, folders);
	const isKey =
		inHome !== undefined && (/^\.ssh\/id_[^/]*(?<!\.pub)$/.test(inHome) || isAtOrBelow(inHome, ".aws/credentials"));
	const isLogin = inHome !== undefined && privateFiles.some((file) => inHome === file && file !== ".npmrc");
	return isKey || isLogin ? "it holds credentials" : undefined;
}

const devices = /^\/dev\/(zero|random|urandom|full|stdin|tty|console|stdout|stderr|fd\/[012])$/;
const processFiles = /^\/proc\/.*\/(fd\/[012]|environ|cmdline|maps)$/;

/** Regular files by their type, which never end, wait for ever, or are as large as an address space; as patterns of a shell. */
export const endlessFiles: readonly string[] = [
	"/proc/kmsg",
	"/proc/kcore",
	"/proc/kpage*",
	"/proc/sysrq-trigger",
	"/proc/acpi/event",
	"/proc/*/mem",
	"/proc/*/pagemap",
	"/sys/*/trace_pipe",
	"/sys/*/trace_pipe_raw",
	"/sys/kernel/debug/usb/usbmon/*",
	"/sys/kernel/security/apparmor/*revision",
];

/** Names of files of the kernel that a search leaves out: endless ones, and the insides of processes. */
export const kernelFileNames: readonly string[] = [
	...["kmsg", "kcore", "kpagecount", "kpageflags", "kpagecgroup", "sysrq-trigger", "event", "mem", "pagemap"],
	...["trace_pipe", "trace_pipe_raw", "usbmon", "revision", "environ", "cmdline", "maps"],
];

/** Why `path` must not even be opened: it never ends, waits for ever, or shows the secrets of a process. */
export function deviceRefusal(path: string): string | undefined {
	if (devices.test(path)) return "it is a device that never ends or waits for ever";
	return processFiles.test(path) ? "it shows the inside of a process" : undefined;
}

/** `path` is `folder` or inside of it; a longer name that merely begins the same is neither. */
export function isAtOrBelow(path: string, folder: string): boolean {
	return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** Homes of hermes that `path` can be in: ours, the usual one, and those of all profiles below either. */
function ownHomesOf(path: string, { home, hermesHome }: HomeFolders): string[] {
	const roots = [hermesHome.replace(/\/profiles\/[^/]+$/, ""), `${home}/.hermes`];
	const profiles = roots.flatMap((root) => {
		const name = path.startsWith(`${root}/`) ? /^profiles\/[^/]+/.exec(path.slice(root.length + 1))?.[0] : undefined;
		return name === undefined ? [] : [`${root}/${name}`];
	});
	return [hermesHome, ...roots, ...profiles];
}

/**
 * `path` relative to a home it is in. Homes are known by their place too: a model can change `HOME` in its own session.
 */
function belowHome(path: string, { home }: HomeFolders): string | undefined {
	if (home.length > 1 && path.startsWith(`${home}/`)) return path.slice(home.length + 1);
	return /^(?:\/root|\/var\/root|\/(?:home|Users)\/[^/]+)\/(.+)$/s.exec(path)?.[1];
}
