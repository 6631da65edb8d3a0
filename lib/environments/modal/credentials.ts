/** The user's token for Modal, from the environment or from the file that Modal's own program writes. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** What is needed to reach Modal as somebody. */
export interface ModalAccount {
	readonly tokenId: string;
	readonly tokenSecret: string;
	readonly serverUrl: string;
	/** Modal's environment within the workspace; empty for the default one. */
	readonly environment: string;
	/** Where the token was found, for messages about it. */
	readonly source: string;
}

type Variables = Readonly<Record<string, string>>;

const usualServer = "https://api.modal.com:443";

const profiles = z.record(
	z.string(),
	z.object({
		active: z.boolean().optional(),
		token_id: z.string().optional(),
		token_secret: z.string().optional(),
		server_url: z.string().optional(),
		environment: z.string().optional(),
	}),
);

type Profiles = z.output<typeof profiles>;

/** The account to use, or one sentence about what is missing. Reads one small file; asks nobody. */
export function findAccount(variables: Variables): ModalAccount | string {
	const file = configFile(variables);
	const known = readProfiles(file);
	if (typeof known === "string") return known;
	const profile = chosenProfile(known, variables.MODAL_PROFILE) ?? {};
	const tokenId = variables.MODAL_TOKEN_ID || profile.token_id;
	const tokenSecret = variables.MODAL_TOKEN_SECRET || profile.token_secret;
	if (!tokenId && !tokenSecret)
		return `there is no Modal token: set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET, or let "modal token new" write ${file}`;
	if (!tokenId || !tokenSecret) {
		const [there, missing] = tokenId
			? ["MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET"]
			: ["MODAL_TOKEN_SECRET", "MODAL_TOKEN_ID"];
		return `half of the Modal token is missing: ${there} is set, but ${missing} is neither set nor in ${file}`;
	}
	return {
		tokenId,
		tokenSecret,
		serverUrl: variables.MODAL_SERVER_URL || profile.server_url || usualServer,
		environment: variables.MODAL_ENVIRONMENT || profile.environment || "",
		source: variables.MODAL_TOKEN_ID ? "MODAL_TOKEN_ID" : file,
	};
}

function configFile({ MODAL_CONFIG_PATH, HOME = "", USERPROFILE = "" }: Variables): string {
	return MODAL_CONFIG_PATH || join(HOME || USERPROFILE || "/", ".modal.toml");
}

/** The profiles in the file, none when there is no file, or why it cannot be read. */
function readProfiles(file: string): Profiles | string {
	let text: string;
	try {
		text = readFileSync(file, "utf8");
	} catch {
		// Most users of the variables have no such file.
		return {};
	}
	try {
		return profiles.parse(Bun.TOML.parse(text));
	} catch {
		// Its lines hold a secret, so the parser's own words are not repeated.
		return `${file} is no configuration of Modal; mend it, or set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET`;
	}
}

function chosenProfile(known: Profiles, name: string | undefined): Profiles[string] | undefined {
	if (name) return Object.hasOwn(known, name) ? known[name] : undefined;
	return Object.values(known).find(({ active }) => active === true);
}
