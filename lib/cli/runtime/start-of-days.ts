/** Where the last days begin, for reports of a time. */

/** Midnight of the day that lies `days - 1` before today, in seconds since 1970. */
export function startOfDays(days: number): number {
	const day = new Date();
	day.setHours(0, 0, 0, 0);
	day.setDate(day.getDate() - (days - 1));
	return day.getTime() / 1000;
}
