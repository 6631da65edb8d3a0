/** Archives that no honest program makes. */

/** A header by its fields. */
export interface HeaderFields {
	readonly name: string;
	readonly size?: number;
	readonly sizeField?: Buffer;
	readonly type?: string;
	readonly mode?: number;
	readonly link?: string;
}

/** One block with a sound sum. */
export function header({ name, size = 0, sizeField, type = "0", mode = 0o644, link = "" }: HeaderFields): Buffer {
	const block = Buffer.alloc(512);
	block.write(name, 0, 100);
	block.write(`${mode.toString(8).padStart(7, "0")}\0`, 100);
	if (sizeField === undefined) block.write(size.toString(8).padStart(11, "0"), 124);
	else sizeField.copy(block, 124);
	block.write("00000000000\0", 136);
	block.write(type, 156);
	block.write(link, 157);
	block.write("ustar\u000000", 257, "latin1");
	block.fill(" ", 148, 156);
	const sum = block.reduce((total, byte) => total + byte, 0);
	block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
	return block;
}

/** A file with its content. */
export function file(name: string, content: string, fields: Partial<HeaderFields> = {}): Buffer {
	const bytes = Buffer.from(content);
	const fill = Buffer.alloc((512 - (bytes.length % 512)) % 512);
	return Buffer.concat([header({ name, size: bytes.length, ...fields }), bytes, fill]);
}

/** A symbolic link. */
export function linkTo(name: string, link: string): Buffer {
	return header({ name, type: "2", link });
}

/** These parts and an end. */
export function archive(...parts: readonly Buffer[]): Buffer {
	return Buffer.concat([...parts, Buffer.alloc(1024)]);
}
