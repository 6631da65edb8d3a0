/** Files that the demonstration carries as text. */

declare module "*.sh" {
	const text: string;
	export = text;
}

declare module "*.jsonl" {
	const text: string;
	export = text;
}
