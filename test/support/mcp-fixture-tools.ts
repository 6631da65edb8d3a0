/** The tools that the conformance suite of MCP wants to find, served by the modules that serve ours. */

import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { CreateMessageResultSchema, ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Served, ServedCall, ServedTool } from "../../lib/serve/mcp/served.ts";

type Content = CallToolResult["content"];

/** A pixel, and a hundredth of a second of silence. */
const image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const audio = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const text = (value: string): Content => [{ type: "text", text: value }];
const resource = (uri: string, mimeType: string, value: string): Content => [
	{ type: "resource", resource: { uri, mimeType, text: value } },
];

interface FixtureTool {
	readonly inputSchema?: ServedTool["inputSchema"];
	run(call: ServedCall): Promise<Content>;
}

const wordSchema = (name: string): ServedTool["inputSchema"] => ({
	type: "object",
	properties: { [name]: { type: "string" } },
	required: [name],
});

async function elicit(call: ServedCall, message: string, requestedSchema: object) {
	const params = { mode: "form", message, requestedSchema } as never;
	return await call.peer.sendRequest({ method: "elicitation/create", params }, ElicitResultSchema);
}

const options = ["option1", "option2", "option3"];
const titled = options.map((name) => ({ const: name, title: name.toUpperCase() }));

const tools: Readonly<Record<string, FixtureTool>> = {
	test_simple_text: { run: async () => text("This is a simple text response for testing.") },
	test_image_content: { run: async () => [{ type: "image", data: image, mimeType: "image/png" }] },
	test_audio_content: { run: async () => [{ type: "audio", data: audio, mimeType: "audio/wav" }] },
	test_embedded_resource: {
		run: async () => resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
	},
	test_multiple_content_types: {
		run: async () => [
			...text("Multiple content types test:"),
			{ type: "image", data: image, mimeType: "image/png" },
			...resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
		],
	},
	test_tool_with_logging: {
		async run({ peer }) {
			for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
				await peer.sendNotification({ method: "notifications/message", params: { level: "info", data } });
			}
			return text("logged");
		},
	},
	test_error_handling: {
		async run() {
			throw new Error("This tool intentionally returns an error for testing");
		},
	},
	test_tool_with_progress: {
		async run({ onOutput, signal }) {
			// As a command would that prints now and then: the pace of the news is the server's.
			for (const part of ["one\n", "two\n", "three\n", "four\n", "five\n"]) {
				onOutput(part);
				await new Promise((resolve) => setTimeout(resolve, 550));
				signal.throwIfAborted();
			}
			return text("done");
		},
	},
	test_sampling: {
		inputSchema: wordSchema("prompt"),
		async run({ peer, arguments: { prompt } }) {
			const messages = [{ role: "user" as const, content: { type: "text" as const, text: String(prompt) } }];
			const request = { method: "sampling/createMessage" as const, params: { messages, maxTokens: 100 } };
			const { content } = await peer.sendRequest(request, CreateMessageResultSchema);
			return text(`LLM response: ${content.type === "text" ? content.text : content.type}`);
		},
	},
	test_elicitation: {
		inputSchema: wordSchema("message"),
		async run(call) {
			const properties = { username: { type: "string" }, email: { type: "string" } };
			const schema = { type: "object", properties, required: ["username", "email"] };
			const { action, content } = await elicit(call, String(call.arguments.message), schema);
			return text(`User response: action=${action}, content=${JSON.stringify(content)}`);
		},
	},
	test_elicitation_sep1034_defaults: {
		async run(call) {
			const properties = {
				name: { type: "string", default: "John Doe" },
				age: { type: "integer", default: 30 },
				score: { type: "number", default: 95.5 },
				status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
				verified: { type: "boolean", default: true },
			};
			const { action, content } = await elicit(call, "Defaults", { type: "object", properties });
			return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
		},
	},
	test_elicitation_sep1330_enums: {
		async run(call) {
			const properties = {
				untitledSingle: { type: "string", enum: options },
				titledSingle: { type: "string", oneOf: titled },
				legacyEnum: { type: "string", enum: options, enumNames: ["One", "Two", "Three"] },
				untitledMulti: { type: "array", items: { type: "string", enum: options } },
				titledMulti: { type: "array", items: { anyOf: titled } },
			};
			const { action, content } = await elicit(call, "Enums", { type: "object", properties });
			return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
		},
	},
	json_schema_2020_12_tool: {
		inputSchema: {
			$schema: "https://json-schema.org/draft/2020-12/schema",
			type: "object",
			$defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
			properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
			additionalProperties: false,
		},
		run: async () => text("fine"),
	},
	test_reconnection: {
		async run({ peer }) {
			peer.closeSSEStream?.();
			await new Promise((resolve) => setTimeout(resolve, 100));
			return text("Reconnection test completed");
		},
	},
};

/** A server of these tools. */
export const fixture: Served = {
	name: "fixture",
	version: "1",
	instructions: "For tests",
	resources: {
		templates: [{ uriTemplate: "test://template/{id}/data", name: "data", mimeType: "application/json" }],
		list: async () => [
			{ uri: "test://static-text", name: "text", description: "Text", mimeType: "text/plain" },
			{ uri: "test://static-binary", name: "bytes", description: "Bytes", mimeType: "image/png" },
		],
		async read(uri) {
			const [, id] = /^test:\/\/template\/(\w+)\/data$/.exec(uri) ?? [];
			if (id !== undefined) {
				return {
					mimeType: "application/json",
					text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
				};
			}
			if (uri === "test://static-binary") return { mimeType: "image/png", blob: image };
			const isText = uri === "test://static-text";
			return isText ? { mimeType: "text/plain", text: "This is the content of the static text resource." } : undefined;
		},
	},
	openSession: () => ({
		tools: async () =>
			Object.entries(tools).map(([name, { inputSchema = { type: "object" as const } }]) => ({
				name,
				description: `The suite calls ${name}`,
				inputSchema,
			})),
		async call(call) {
			try {
				return { content: (await tools[call.name]?.run(call)) ?? [] };
			} catch (cause) {
				return { content: text(cause instanceof Error ? cause.message : String(cause)), isError: true };
			}
		},
		async [Symbol.asyncDispose]() {},
	}),
};
