/** What a file that is no text is for, by its name, to say which tool may help. */

import { posix } from "node:path";

const images = new Set(["png", "jpg", "jpeg", "gif", "bmp", "ico", "webp", "tiff", "tif"]);
const archives = new Set([
	"zip",
	"tar",
	"gz",
	"bz2",
	"7z",
	"rar",
	"xz",
	"z",
	"tgz",
	"zst",
	"iso",
	"jar",
	"war",
	"ear",
	"whl",
]);
const documents = new Set(["doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "pdf"]);
const databases = new Set(["sqlite", "sqlite3", "db", "mdb"]);

/** The type in the name of `path`, without the dot and lower case; empty for names such as `.profile`. */
export function typeOf(path: string): string {
	return posix.extname(posix.basename(path)).slice(1).toLowerCase();
}

/** Whether a file of this name is a picture. */
export function isImageName(path: string): boolean {
	return images.has(typeOf(path));
}

/** What to do with a file that cannot be shown as text. */
export function binaryAdvice(path: string): string {
	const type = typeOf(path);
	if (images.has(type)) return "look at it with a vision tool";
	if (archives.has(type)) return "list or unpack it with the terminal tool";
	if (documents.has(type)) return "convert it to text with the terminal tool";
	if (databases.has(type)) return "query it with the terminal tool";
	return "inspect it with the terminal tool (file, xxd, strings)";
}
