/** What servers send, read leniently: one strange tool or block of content must not take the others away. */

import { z } from "zod";

const text = z.string().optional().catch(undefined);

/** A page of a list; its items are read one by one. */
export const toolsPage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: text });
/** A page of resources. */
export const resourcesPage = z.looseObject({ resources: z.array(z.unknown()), nextCursor: text });
/** A page of prompts. */
export const promptsPage = z.looseObject({ prompts: z.array(z.unknown()), nextCursor: text });

/** A tool as a server describes it. */
export const listedTool = z.looseObject({
	name: z.string().min(1),
	title: text,
	description: text,
	/** Whatever it is: what cannot be mended is left out where schemas are judged. */
	inputSchema: z.unknown().optional(),
});
/** A tool as a server describes it. */
export type ListedTool = z.output<typeof listedTool>;

/** A resource as a server lists it. */
export const listedResource = z.looseObject({
	uri: z.string(),
	name: text,
	title: text,
	description: text,
	mimeType: text,
});

/** A prompt as a server lists it. */
export const listedPrompt = z.looseObject({
	name: z.string(),
	title: text,
	description: text,
	arguments: z
		.array(z.looseObject({ name: z.string(), description: text, required: z.boolean().optional().catch(undefined) }))
		.optional()
		.catch(undefined),
});

/** What is in a resource: text, or bytes in base64. */
const resourceContent = z.looseObject({ uri: z.string(), mimeType: text, text, blob: text });
/** What is in a resource. */
export type ResourceContent = z.output<typeof resourceContent>;

/** The answer to `resources/read`. */
export const resourceResult = z.looseObject({ contents: z.array(resourceContent) });

/** One block of an answer. */
export const block = z.discriminatedUnion("type", [
	z.looseObject({ type: z.literal("text"), text: z.string() }),
	z.looseObject({ type: z.enum(["image", "audio"]), data: z.string(), mimeType: z.string() }),
	z.looseObject({ type: z.literal("resource_link"), uri: z.string(), name: text, description: text }),
	z.looseObject({ type: z.literal("resource"), resource: resourceContent }),
]);
/** One block of an answer. */
export type Block = z.output<typeof block>;

/** The answer of a tool. */
export const callResult = z.looseObject({
	content: z.array(z.unknown()).default([]),
	structuredContent: z.unknown().optional(),
	isError: z.boolean().optional().catch(undefined),
});
/** The answer of a tool. */
export type CallResult = z.output<typeof callResult>;

/** The answer to `prompts/get`. */
export const promptResult = z.looseObject({
	description: text,
	messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })),
});
