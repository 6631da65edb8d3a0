/** The modules that scripts import are carried as text: they run in other processes, never in this one. */

declare module "*/runtime.js" {
	const text: string;
	export = text;
}

declare module "*/before.js" {
	const text: string;
	export = text;
}
