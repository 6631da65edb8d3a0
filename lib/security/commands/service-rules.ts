/** Commands that stop services, processes, containers and clusters, or change who may do what on a machine. */

import type { Sight } from "../shell/sight.ts";
import { hasOption, operandsOf, optionsOf, optionValue } from "./arguments.ts";
import type { Danger } from "./categories.ts";
import type { Rules } from "./rule.ts";

const stops = new Set(["stop", "restart", "disable", "mask", "try-restart", "reload-or-restart", "kill"]);
const stopsContainer = new Set(["stop", "restart", "kill"]);
const stopsCompose = new Set(["stop", "restart", "kill", "down", "rm"]);
const hard = /^(?:9|KILL|SIGKILL)$/i;
const ours = /hermes|gateway|cli\.py/i;

/** By the name of the program. */
export const serviceRules: Rules = {
	systemctl: ({ program: { args } }) => {
		const words = operandsOf(args);
		const isStop = words.some((word, index) => stops.has(word) && index < 2);
		return isStop ? [{ category: "stop-service" }] : [];
	},
	service: ({ program: { args } }) =>
		/^(?:stop|restart|force-reload)$/.test(args[1] ?? "") ? [{ category: "stop-service" }] : [],
	launchctl: ({ program: { args } }) =>
		/^(?:stop|unload|bootout|disable|remove|kill)$/.test(args[0] ?? "") ? [{ category: "stop-service" }] : [],
	kill: ({ piped, substituted, program: { readsArguments } }) =>
		substituted.has("process-ids") || (readsArguments && piped.has("process-ids")) ? [{ category: "kill-found" }] : [],
	pkill: byName,
	killall: byName,
	docker: container,
	podman: container,
	nerdctl: container,
	"docker-compose": ({ program: { args } }) => compose(args),
	"podman-compose": ({ program: { args } }) => compose(args),
	kubectl: ({ program: { args } }) => cluster(args, ["delete", "drain"]),
	oc: ({ program: { args } }) => cluster(args, ["delete"]),
	helm: ({ program: { args } }) => cluster(args, ["delete", "uninstall"]),
	terraform: ({ program: { args } }) => cluster(args, ["destroy"]),
	tofu: ({ program: { args } }) => cluster(args, ["destroy"]),
	crontab: ({ program: { args } }) =>
		hasOption(args, "re") || operandsOf(args).length > 0 ? [{ category: "crontab-change" }] : [],
	at: scheduled,
	batch: scheduled,
	iptables: ({ program: { args } }) => firewall(args),
	ip6tables: ({ program: { args } }) => firewall(args),
	nft: ({ program: { args } }) => (/^(?:flush|delete)$/.test(args[0] ?? "") ? [{ category: "firewall" }] : []),
	ufw: ({ program: { args } }) =>
		args.some((arg) => arg === "disable" || arg === "reset") ? [{ category: "firewall" }] : [],
	userdel: () => [{ category: "delete-user" }],
	groupdel: () => [{ category: "delete-user" }],
	deluser: () => [{ category: "delete-user" }],
	delgroup: () => [{ category: "delete-user" }],
};

function scheduled({ program: { args } }: Sight): Danger[] {
	return args.some((arg) => /^-[a-zA-Z]*[lc]/.test(arg)) ? [] : [{ category: "crontab-change" }];
}

function byName({ program: { name, args } }: Sight): Danger[] {
	const signals = [
		...optionsOf(args).map((option) => option.slice(1)),
		optionValue(args, "s", "signal") ?? "",
		...optionsOf(args).map((option) => option.split("=")[1] ?? ""),
	];
	const dangers: Danger[] = [];
	if (signals.some((signal) => hard.test(signal))) dangers.push({ category: "force-kill" });
	if (name === "killall" && hasOption(args, "r", ["regexp"]) && !optionsOf(args).every(isSignal)) {
		dangers.push({ category: "kill-pattern" });
	}
	if (operandsOf(args).some((arg) => ours.test(arg))) dangers.push({ category: "kill-hermes" });
	return dangers;
}

/** `-TERM` holds an R, and is no option `r` all the same. */
function isSignal(option: string): boolean {
	return /^-[A-Z]/.test(option);
}

function container({ program: { args } }: Sight): Danger[] {
	const words = operandsOf(args);
	const [first = "", second = ""] = words;
	if (first === "compose") return compose(args);
	const [verb, rest] = first === "container" ? [second, args] : [first, args];
	if (stopsContainer.has(verb)) return [{ category: "stop-container" }];
	const isPrune = words.includes("prune") || (first === "volume" && /^(?:rm|remove)$/.test(second));
	const isForced = (verb === "rm" || verb === "rmi") && hasOption(rest, "f", ["force"]);
	if (isPrune || isForced) return [{ category: "remove-container" }];
	const starts = verb === "run" || verb === "create";
	return starts && reachesHost(args) ? [{ category: "host-container" }] : [];
}

function reachesHost(args: readonly string[]): boolean {
	return args.some((arg, index) => {
		if (/^--(?:privileged|pid=host|device|cap-add)/.test(arg)) return true;
		const isVolume = /^(?:-v|--volume|--mount)$/.test(args[index - 1] ?? "");
		const volume = isVolume ? arg : /^(?:--volume=|--mount=|-v)(.+)$/.exec(arg)?.[1];
		const from = volume === undefined ? undefined : hostSide(volume);
		return from !== undefined && /^\/(?:|etc|root|home|usr|var|boot|dev|proc|sys|.*docker\.sock|\0home)\/?$/.test(from);
	});
}

function hostSide(volume: string): string | undefined {
	return /(?:^|,)(?:source|src)=([^,]*)/.exec(volume)?.[1] ?? volume.split(":")[0];
}

function compose(args: readonly string[]): Danger[] {
	return operandsOf(args).some((word) => stopsCompose.has(word)) ? [{ category: "stop-container" }] : [];
}

function cluster(args: readonly string[], verbs: readonly string[]): Danger[] {
	return verbs.some((verb) => operandsOf(args).includes(verb)) ? [{ category: "delete-cluster" }] : [];
}

function firewall(args: readonly string[]): Danger[] {
	return args.some((arg) => /^(?:-[FXPZ]|--flush|--delete-chain|--policy)$/.test(arg))
		? [{ category: "firewall" }]
		: [];
}
