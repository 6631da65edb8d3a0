/** Who we are to Daytona, and where it is, as the environment says. */

/** Where the service is when nothing else is said. */
const usualUrl = "https://app.daytona.io/api";

/** What a client is made of. Everything is given to it: left to itself it would look for more. */
export type Account = {
	readonly apiUrl: string;
	readonly target?: string;
} & ({ readonly apiKey: string } | { readonly jwtToken: string; readonly organizationId: string });

/** The account, or one sentence that says what is missing. */
export function findAccount(variables: Readonly<Record<string, string>>): Account | string {
	const { DAYTONA_API_KEY: apiKey, DAYTONA_JWT_TOKEN: jwtToken, DAYTONA_ORGANIZATION_ID: organizationId } = variables;
	const { DAYTONA_API_URL, DAYTONA_TARGET: target } = variables;
	const place = { apiUrl: DAYTONA_API_URL || usualUrl, ...(target && { target }) };
	if (apiKey) return { ...place, apiKey };
	if (jwtToken && organizationId) return { ...place, jwtToken, organizationId };
	if (jwtToken) return "DAYTONA_JWT_TOKEN is set, but not DAYTONA_ORGANIZATION_ID, which goes with it";
	return "DAYTONA_API_KEY is not set; make a key in Daytona's dashboard and put it into the environment or HERMES_HOME/.env";
}
