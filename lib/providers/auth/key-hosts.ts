/** Which hosts a key may go to that says only by its beginning, or by what stands beside it, whose it is. */

/** Beginnings of keys that one service alone gives out, and the domain of that service. */
const makers: readonly (readonly [RegExp, string])[] = [
	[/^sk-(?:proj|svcacct|admin)-/, "openai.com"],
	[/^sk-ant-/, "anthropic.com"],
	[/^sk-or-v\d/, "openrouter.ai"],
	[/^gsk_/, "groq.com"],
	[/^xai-/, "x.ai"],
	[/^hf_/, "huggingface.co"],
	[/^AIza/, "googleapis.com"],
];

/** What is known of a key that many programs share. */
export interface SharedKey {
	/** Never logged, never shown. */
	readonly secret: string;
	/** Where the request goes. */
	readonly address: string;
	/** The address that stands beside the key in the environment. */
	readonly beside: string | undefined;
	/** The address of the conversation's model; the key is for it when nothing says otherwise. */
	readonly configured: string | undefined;
}

const openAi = "openai.com";

/** Whether a key that is called like OpenAI's, and often belongs to another service, may go to `address`. */
export function isMadeFor({ secret, address, beside, configured }: SharedKey): boolean {
	if (beside !== undefined) return isSameHost(beside, address);
	const maker = makers.find(([pattern]) => pattern.test(secret))?.[1];
	if (maker !== undefined) return isWithin(address, maker);
	return configured === undefined ? isWithin(address, openAi) : isSameHost(configured, address);
}

/** Whether two addresses lead to one host by one scheme and port; false when one of them is no address. */
export function isSameHost(one: string, other: string): boolean {
	const origin = URL.parse(one.trim())?.origin;
	return origin !== undefined && origin !== "null" && origin === URL.parse(other.trim())?.origin;
}

/** The whole name is compared: `openai.com.example` and `notopenai.com` are others. A key never goes out unencrypted. */
function isWithin(address: string, domain: string): boolean {
	const url = URL.parse(address.trim());
	return url?.protocol === "https:" && (url.hostname === domain || url.hostname.endsWith(`.${domain}`));
}
