/** The secret that a script shows before it may call anything: whoever else finds the socket does not know it. */

import { randomBytes, timingSafeEqual } from "node:crypto";

/** 32 random bytes in hexadecimal. */
export function createToken(): string {
	return randomBytes(32).toString("hex");
}

/** Whether `shown` is `token`; takes the same time wherever they differ. */
export function isToken(shown: string, token: string): boolean {
	const [left, right] = [Buffer.from(shown), Buffer.from(token)];
	return left.length === right.length && timingSafeEqual(left, right);
}
