/** The program of a plug-in's process is carried as text: it runs in another process, never in this one. */

declare module "*/child/main.js" {
	const text: string;
	export = text;
}
