/** Signs requests with a user's AWS credentials, from wherever AWS's own programs take them. */

import { createHash, createHmac } from "node:crypto";
import { ProviderRefused } from "../provider.ts";
import type { UnsignedRequest } from "../wire/wire-settings.ts";

/** What signatures are made with. */
export interface AwsSigning {
	readonly region: string;
	/** As signatures name it, such as `bedrock`. */
	readonly service: string;
	/** `AWS_ACCESS_KEY_ID` and its like; what is not there is looked for in the user's profiles and at the machine. */
	readonly variables: Readonly<Record<string, string>>;
}

/** Variables that credentials can be in. */
export const awsVariables = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"];

/** Credentials are looked up with the first request, and again when they have run out. Gives the headers of one request. */
export function createAwsSigner({ region, service, variables }: AwsSigning) {
	let signer: ReturnType<typeof open> | undefined;
	const open = async () => {
		const { SignatureV4 } = await import("@smithy/signature-v4");
		return new SignatureV4({ region, service, credentials: await credentialsFrom(variables), sha256: Sha256 });
	};
	return async ({ url, body }: UnsignedRequest): Promise<Readonly<Record<string, string>>> => {
		signer ??= open();
		const request = {
			method: "POST",
			protocol: url.protocol,
			hostname: url.hostname,
			path: url.pathname,
			query: Object.fromEntries(url.searchParams),
			// No other header is signed: what stands between may change those.
			headers: { host: url.host, "content-type": "application/json" },
			body,
		};
		try {
			const { host: _, ...headers } = (await (await signer).sign(request)).headers;
			return headers;
		} catch (cause) {
			throw new ProviderRefused(
				"settings",
				"Cannot sign requests to AWS: no credentials were found that can be used; set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE (aws configure, aws sso login)",
				{ cause },
			);
		}
	};
}

const metadataTimeoutMs = 1_000;

/** The environment comes first also when a profile is named, as in AWS's own command line. */
async function credentialsFrom(variables: Readonly<Record<string, string>>) {
	const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = variables;
	const { AWS_SESSION_TOKEN: sessionToken, AWS_PROFILE: profile } = variables;
	if (accessKeyId !== undefined && secretAccessKey !== undefined)
		return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
	const { defaultProvider } = await import("@aws-sdk/credential-provider-node");
	return defaultProvider({ ...(profile !== undefined && { profile }), timeout: metadataTimeoutMs, maxRetries: 0 });
}

type Data = string | ArrayBuffer | ArrayBufferView;

/** SHA-256 in the form that the library asks for: keyed, where a key is given. */
class Sha256 {
	readonly #hash: ReturnType<typeof createHash> | ReturnType<typeof createHmac>;

	constructor(key?: Data) {
		this.#hash = key === undefined ? createHash("sha256") : createHmac("sha256", bytesOf(key));
	}

	update(data: Data): void {
		this.#hash.update(bytesOf(data));
	}

	digest(): Promise<Uint8Array> {
		return Promise.resolve(this.#hash.digest());
	}
}

function bytesOf(data: Data): Uint8Array {
	if (typeof data === "string") return new TextEncoder().encode(data);
	return data instanceof ArrayBuffer
		? new Uint8Array(data)
		: new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
