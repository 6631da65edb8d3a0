/** Names for sessions that sort by the time they began. */

/** `YYYYMMDD_HHMMSS_<6 hex>` in local time. */
export function createSessionId(now = new Date()): string {
	const two = (value: number) => String(value).padStart(2, "0");
	const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
	const time = `${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
	return `${day}_${time}_${crypto.getRandomValues(new Uint8Array(3)).toHex()}`;
}
