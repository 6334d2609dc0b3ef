/** How long ago something was, in the words a status line has room for. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Return "just now", "5 min ago", "3 h ago" or "12 days ago"; moments ahead are "just now". */
export function timeSince(then: Date, now: Date): string {
	const seconds = Math.max(0, (now.getTime() - then.getTime()) / 1000);
	if (Number.isNaN(seconds)) return "";
	if (seconds < MINUTE) return "just now";
	if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ago`;
	if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h ago`;
	const days = Math.floor(seconds / DAY);
	return days === 1 ? "yesterday" : `${days} days ago`;
}
