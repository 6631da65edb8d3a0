/** A time as people read it in lists. */

/** `2026-07-01 12:30`, in the time of this machine; `at` is in milliseconds since 1970. */
export function shownTime(at: number): string {
	const date = new Date(at);
	const two = (value: number) => String(value).padStart(2, "0");
	const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
	return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
