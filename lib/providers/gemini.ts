/** Google's Gemini, with a key of AI Studio. */

import { defineHosted } from "./hosted.ts";
import { openGeminiClient } from "./wire/gemini-client.ts";

export default defineHosted({
	id: "gemini",
	aliases: ["google"],
	description: "Google's Gemini API",
	keyNames: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
	baseUrl: "https://generativelanguage.googleapis.com/v1beta",
	baseUrlNames: ["GEMINI_BASE_URL"],
	models: ["gemini-3.1-pro-preview", "gemini-3-flash-preview", "gemini-2.5-pro", "gemini-2.5-flash"],
	connect: openGeminiClient,
});
