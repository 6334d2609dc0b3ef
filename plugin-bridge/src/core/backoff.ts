/** When to look again for a daemon that does not answer. */

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000; // a person who starts the daemon should see it within half a minute

/** Return the pause in milliseconds before try number `failures` + 1; doubles from one second. */
export function pauseAfter(failures: number): number {
	return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, Math.min(failures - 1, 10)));
}
