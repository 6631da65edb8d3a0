/** Splits the text of an ssh_config file into settings. */

/** One setting. */
export interface ConfigLine {
	/** In lower case. */
	readonly keyword: string;
	readonly words: readonly string[];
	/** As it stands in the file after the keyword, for settings that are a command line. */
	readonly rest: string;
}

/** The settings of `text`: `Keyword value` or `Keyword=value`, words in double quotes, `#` before a comment. */
export function configLines(text: string): ConfigLine[] {
	return text.split("\n").flatMap((line) => {
		const found = /^\s*([A-Za-z]\w*)(?:\s*=\s*|\s+|$)(.*?)\s*$/.exec(line);
		if (found === null) return [];
		const [, keyword = "", rest = ""] = found;
		return [{ keyword: keyword.toLowerCase(), words: splitWords(rest), rest }];
	});
}

function splitWords(text: string): string[] {
	const words: string[] = [];
	for (const [, quoted, plain] of text.matchAll(/"([^"]*)"|(\S+)/g)) {
		if (plain?.startsWith("#")) break;
		words.push(quoted ?? plain ?? "");
	}
	return words;
}
