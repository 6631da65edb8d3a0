/** What an error of the operating system means, in words. */

const reasons: Readonly<Record<string, string>> = {
	EACCES: "permission denied",
	EPERM: "permission denied",
	EROFS: "the file system is read-only",
	ENOSPC: "the disk is full",
	EDQUOT: "the disk quota is used up",
	ENOENT: "there is no such file or folder",
	ENOTDIR: "a part of the path is a file",
	EISDIR: "it is a folder",
	EEXIST: "it is there already",
	ELOOP: "its links lead in a circle",
	ENAMETOOLONG: "the name is too long",
	EMFILE: "too many files are open",
};

/** The words for the error code of `cause`, the code itself when it has no words; undefined without a code. */
export function systemReason(cause: unknown): string | undefined {
	if (!(cause instanceof Error) || !("code" in cause) || typeof cause.code !== "string") return undefined;
	return reasons[cause.code] ?? cause.code;
}
