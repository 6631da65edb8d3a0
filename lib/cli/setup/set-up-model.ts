/** The first part: a provider, its key, and a model, tried out before anything is saved. */

import { attempt } from "../../base/attempt.ts";
import { isPlaceholder, type KeyPlaces, keysOf, type ProviderKey } from "../../providers/auth/provider-keys.ts";
import { checkedKey, checkedUrl } from "../../providers/checked-settings.ts";
import { type ListedModels, listModels } from "../../providers/list-models.ts";
import { type FoundServer, findLocalServer, localServers } from "../../providers/local-servers.ts";
import { openCatalog } from "../../providers/models/catalog.ts";
import { networkOf } from "../../providers/network.ts";
import type { Provider } from "../../providers/provider.ts";
import { storeKey } from "../auth/store-key.ts";
import { allProviders } from "../runtime/find-provider.ts";
import { openSettings } from "../runtime/settings.ts";
import type { Cli } from "../subcommand.ts";
import { saveSettings } from "./save.ts";
import { agree, during, line, pick, say, secret } from "./wizard.ts";

/** How long a service may take to say which models it has. */
const probeMs = 5000;

/** Who was chosen, and what is known of the way there. */
interface Endpoint {
	/** As `model.provider` names it. */
	readonly provider: string;
	/** Whose form of the list is asked for. */
	readonly form: string;
	readonly baseUrl: string;
	/** Written to `model.base_url`: addresses that no provider knows by itself. */
	readonly isOwnAddress: boolean;
	/** A key that was typed just now and is not saved yet. */
	readonly newKey?: string | undefined;
	readonly key?: string | undefined;
	readonly models: readonly string[];
}

/** Asks, tries, saves. Returns what was set, as a sentence. @throws {LeftSetup} */
export async function setUpModel(cli: Cli): Promise<string> {
	const config = await openSettings(cli, {});
	const endpoint = await tried(cli, await chooseEndpoint(cli));
	const model = await chooseModel(endpoint, config.get("model.default"));
	const { provider, baseUrl, isOwnAddress, newKey } = endpoint;
	if (newKey !== undefined) {
		const kept = isOwnAddress ? { baseUrl } : {};
		await storeKey(cli.environment.hermesHome, provider, { secret: newKey, source: "manual", ...kept });
	}
	// The model last: until it is there, nothing is asked of a provider that is half set up.
	await saveSettings(cli, [
		["model.base_url", isOwnAddress ? baseUrl : ""],
		["model.provider", provider],
		["model.default", model],
	]);
	return `${model} of ${provider} answers`;
}

async function chooseEndpoint(cli: Cli): Promise<Endpoint> {
	const config = await openSettings(cli, {});
	const found = await during(
		"Looking for model servers on this machine",
		async () =>
			(await Promise.all(localServers.map(({ name }) => findLocalServer(name)))).filter(
				(server) => server !== undefined,
			),
		(servers) =>
			servers.length === 0
				? "No model server answers on this machine"
				: `Found ${servers.map(({ name }) => name).join(", ")}`,
	);
	const places = { variables: config.variables, home: cli.environment.hermesHome };
	const hosted = (await allProviders(cli)).filter(
		({ baseUrl, keyNames }) => baseUrl !== undefined && keyNames.length > 0,
	);
	const ready = new Set(hosted.filter((each) => keysOf(each, places).length > 0));
	const ordered = [...hosted.filter((each) => ready.has(each)), ...hosted.filter((each) => !ready.has(each))];
	const chosen = await pick(
		"Who answers?",
		[
			...found.map(({ name, models }) => ({ value: name as string, hint: `on this machine, ${models.length} models` })),
			...ordered.map((each) => ({
				value: each.id,
				hint: `${each.description}${ready.has(each) ? ", has a key" : ""}`,
			})),
			{ value: "custom", label: "another address", hint: "any OpenAI-compatible server" },
		],
		config.get("model.provider"),
	);
	const server = found.find(({ name }) => name === chosen);
	if (server !== undefined) return ofServer(server);
	const provider = hosted.find(({ id }) => id === chosen);
	return provider === undefined
		? ownAddress(config.get("model.base_url"), places)
		: ofProvider(provider, keysOf(provider, places)[0]);
}

function ofServer({ name, baseUrl, models }: FoundServer): Endpoint {
	return { provider: name, form: "custom", baseUrl, isOwnAddress: false, models };
}

async function ofProvider(provider: Provider, set: ProviderKey | undefined): Promise<Endpoint> {
	const { id, baseUrl = "", models = [] } = provider;
	const known = { provider: id, form: id, baseUrl, isOwnAddress: false, models };
	// A key may be for another address than the provider's own, and is tried at none but that.
	if (set !== undefined && (await agree(`Use the key of ${id} that is set?`)))
		return { ...known, baseUrl: set.baseUrl ?? baseUrl, key: set.secret };
	const typed = await secret(`Key of ${id}`, keyProblem);
	return { ...known, key: typed, newKey: typed };
}

async function ownAddress(initial: string, places: KeyPlaces): Promise<Endpoint> {
	const typed = await line("Address, with /v1", {
		initial: initial || "http://127.0.0.1:11434/v1",
		problem: (text) => problemOf(() => checkedUrl(text, "the next question")),
	});
	const base = {
		provider: "custom",
		form: "custom",
		baseUrl: checkedUrl(typed, "the next question"),
		isOwnAddress: true,
		models: [],
	};
	const known = keyOfAddress(base.baseUrl, places);
	if (known !== undefined && (await agree("Use its key that is set?"))) return { ...base, key: known };
	if (!(await agree("Does it need a key?", known !== undefined))) return base;
	const key = await secret("Key", keyProblem);
	return { ...base, key, newKey: key };
}

/** The key that was stored for this very address: no other host gets it. */
function keyOfAddress(address: string, places: KeyPlaces): string | undefined {
	const keys = keysOf({ id: "custom", keyNames: [], aliases: [] }, places);
	return keys.find(({ baseUrl }) => baseUrl === address)?.secret;
}

/** Asks the service; a key that is refused can be typed again. */
async function tried(cli: Cli, endpoint: Endpoint): Promise<Endpoint> {
	const { variables } = await openSettings(cli, {});
	const answer = await during(
		`Asking ${endpoint.baseUrl}`,
		() =>
			listModels({
				provider: endpoint.form,
				baseUrl: endpoint.baseUrl,
				apiKey: endpoint.key,
				network: networkOf(variables),
				signal: AbortSignal.timeout(probeMs),
			}),
		told,
	);
	if (answer.kind === "listed")
		return { ...endpoint, models: answer.models.length > 0 ? answer.models : endpoint.models };
	const again = answer.kind === "key refused" ? "Type another key?" : "Try another one?";
	if (!(await agree(again))) {
		await say("warn", "Going on without knowing whether it works");
		return {
			...endpoint,
			models: [...endpoint.models, ...openCatalog(cli.environment.hermesHome).models(endpoint.form)],
		};
	}
	if (answer.kind !== "key refused") return await tried(cli, await chooseEndpoint(cli));
	const key = await secret(`Key of ${endpoint.provider}`, keyProblem);
	return await tried(cli, { ...endpoint, key, newKey: key });
}

function told(answer: ListedModels): string {
	switch (answer.kind) {
		case "listed":
			return `It answers and has ${answer.models.length} models`;
		case "key refused":
			return `It does not accept the key (status ${answer.status})`;
		case "no list":
			return `It answers, but not with a list of models (status ${answer.status})`;
		case "unreachable":
			return `It cannot be reached: ${answer.reason}`;
	}
}

async function chooseModel({ models }: Endpoint, current: string): Promise<string> {
	const names = [...new Set(models)];
	const initial = names.includes(current) ? current : names[0];
	if (names.length > 0) {
		const chosen = await pick(
			"Which model?",
			[...names.map((value) => ({ value })), { value: "", label: "another one" }],
			initial,
		);
		if (chosen !== "") return chosen;
	}
	return (
		(await line("Name of the model", {
			initial: current,
			problem: (text) => (text === "" ? "a name is needed" : undefined),
		})) || current
	);
}

function keyProblem(text: string): string | undefined {
	if (isPlaceholder(text)) return "this is no key";
	return problemOf(() => checkedKey(text, "what was typed"));
}

function problemOf(check: () => unknown): string | undefined {
	const checked = attempt(check);
	return checked.ok ? undefined : checked.reason;
}
