/** Programs in other languages that are embedded as text. */

declare module "*.py" {
	const text: string;
	export = text;
}
