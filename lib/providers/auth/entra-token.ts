/** Tokens of Microsoft Entra ID for a user's own Azure resource, from wherever Azure's own programs take them. */

import { ProviderRefused } from "../provider.ts";

/** What tokens are asked for. */
export interface EntraAccess {
	/** What they let in to, such as `https://ai.azure.com/.default`. */
	readonly scope: string;
	/** `AZURE_CLIENT_ID` and its like; what is not there is looked for at the machine and in Azure's command line. */
	readonly variables: Readonly<Record<string, string>>;
}

/** Variables that a service principal can be in. */
export const entraVariables = ["AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET"];

/** A token is not used when it would run out on its way. */
const marginMs = 2 * 60_000;

interface Token {
	readonly token: string;
	readonly expiresOnTimestamp: number;
}

/** Gives the header of one request. The login is looked for with the first, and a token is used as long as it is good. */
export function createEntraAccess({ scope, variables }: EntraAccess) {
	let current: Promise<Token> | undefined;
	const renewed = async () => {
		const held = await current?.catch(() => undefined);
		if (held !== undefined && held.expiresOnTimestamp - marginMs > Date.now()) return held;
		// Two requests at once ask once.
		const asked = tokenFrom({ scope, variables });
		current = asked;
		return asked;
	};
	return async (): Promise<Readonly<Record<string, string>>> => {
		const { token } = await renewed();
		return { authorization: `Bearer ${token}` };
	};
}

async function tokenFrom({ scope, variables }: EntraAccess): Promise<Token> {
	const { AZURE_TENANT_ID: tenant, AZURE_CLIENT_ID: client, AZURE_CLIENT_SECRET: secret } = variables;
	const { ClientSecretCredential, DefaultAzureCredential } = await import("@azure/identity");
	const isPrincipal = tenant !== undefined && client !== undefined && secret !== undefined;
	try {
		const credential = isPrincipal ? new ClientSecretCredential(tenant, client, secret) : new DefaultAzureCredential();
		return await credential.getToken(scope);
	} catch (cause) {
		const found = isPrincipal ? "the service principal is not let in" : "no login was found";
		throw new ProviderRefused(
			"settings",
			`Cannot get a token of Entra ID for Azure: ${found}; set AZURE_FOUNDRY_API_KEY, or AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, or run az login`,
			{ cause },
		);
	}
}
