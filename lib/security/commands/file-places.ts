/** Which files of a command are the user's keys, start-up files or settings. */

import { isAtOrBelow, readRefusal, writeRefusal } from "../path-safety.ts";
import { homeMark, unknownMark } from "../shell/fields.ts";
import { absoluteParts } from "../shell/protected-paths.ts";
import type { Category } from "./categories.ts";
import type { DangerPlace } from "./rule.ts";

const harmlessDevice = /^\/dev\/(?:null|zero|full|u?random|std(?:in|out|err)|tty|console|fd|shm|pts|tcp|udp)(?:\/|$)/;

/** Stands for the home where it is not known. */
const someHome = "/home/user";

/** Below a home: what a shell or a desktop runs by itself, and what other programs believe in. */
const startupPlaces = [
	...[
		".bashrc",
		".zshrc",
		".profile",
		".bash_profile",
		".zprofile",
		".zshenv",
		".bash_login",
		".bash_logout",
		".kshrc",
	],
	...[".config/fish", ".config/systemd", ".config/autostart", ".local/bin", ".gitconfig", ".config/git", ".ssh"],
	...[".netrc", ".pgpass", ".npmrc", ".pypirc", ".git-credentials"],
];
/** The mirrors are where macOS keeps the real ones. */
const systemPlaces = ["/etc", "/private/etc", "/private/var", "/private/tmp", "/private/home", "/var/spool/cron"];
/** Of hermes: what decides what it may do. */
const ownPlaces = ["config.yaml", ".env", "auth.json", "approvals.json", "hooks", "cron", "plugins"];

/** Names of files that projects keep secrets and settings in. Samples hold names without values. */
const projectFile = /^(?:\.env(?:\..*)?|\.envrc|config\.yaml)$/;
const sampleFile = /^\.env\.(?:example|sample|template|dist|defaults)$/;

/** Which danger it is to write to `path`; undefined when it is none. */
export function writeCategory(path: string, cwd: string | undefined, place: DangerPlace): Category | undefined {
	const full = fullPath(path, cwd, place);
	if (full === undefined) return isProjectFile(path) ? "write-project-secrets" : undefined;
	if (isAtOrBelow(full, "/dev")) return harmlessDevice.test(full) ? undefined : "write-system";
	const folders = foldersOf(place);
	const ownHomes = [folders.hermesHome, `${folders.home}/.hermes`, "/root/.hermes"];
	if (ownHomes.some((home) => ownPlaces.some((own) => isAtOrBelow(full, `${home}/${own}`)))) return "write-hermes";
	const inHome = belowHome(full, folders.home);
	if (inHome !== undefined && startupPlaces.some((startup) => isAtOrBelow(inHome, startup))) return "write-login";
	if (systemPlaces.some((folder) => isAtOrBelow(full, folder))) return "write-system";
	if (writeRefusal(full, folders) !== undefined) return inHome === undefined ? "write-system" : "write-login";
	return isProjectFile(full) ? "write-project-secrets" : undefined;
}

/** Whether `path` is a key, a password file of the user, or a secret of hermes. Secrets of projects are read all day. */
export function holdsCredentials(path: string, cwd: string | undefined, place: DangerPlace): boolean {
	const full = fullPath(path, cwd, place);
	if (full === undefined) return false;
	const folders = foldersOf(place);
	const isOwn = isAtOrBelow(full, folders.hermesHome) || full.includes("/.hermes/");
	if (/^\/(?:private\/)?etc\/(?:shadow|gshadow|sudoers)/.test(full)) return true;
	return (isOwn || !isProjectFile(full)) && readRefusal(full, folders) !== undefined;
}

/** Whether the last part of `path` is a name that projects give to files with secrets. */
export function isProjectFile(path: string): boolean {
	const name = (path.split("/").at(-1) ?? "").toLowerCase();
	return projectFile.test(name) && !sampleFile.test(name);
}

/** In lower case, as systems that do not mind the case of names would see it. */
function fullPath(path: string, cwd: string | undefined, { home }: DangerPlace): string | undefined {
	if (path.includes(unknownMark)) return undefined;
	const parts = absoluteParts(path, cwd);
	if (parts === undefined) return undefined;
	const full = `/${parts.join("/")}`;
	return full.startsWith(homeMark) ? `${home ?? someHome}${full.slice(homeMark.length)}`.toLowerCase() : full;
}

function foldersOf({ home = someHome, hermesHome }: DangerPlace): { home: string; hermesHome: string } {
	return { home: home.toLowerCase(), hermesHome: (hermesHome ?? `${home}/.hermes`).toLowerCase() };
}

function belowHome(path: string, home: string): string | undefined {
	if (path.startsWith(`${home}/`)) return path.slice(home.length + 1);
	return /^(?:\/root|\/var\/root|\/(?:home|users)\/[^/]+)\/(.+)$/s.exec(path)?.[1];
}
