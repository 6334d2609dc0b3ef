/** Waiting for somebody to look: nothing is asked for while the window is hidden. */

/** Resolve at once when the window can be seen, else as soon as it can, or when `end` comes. */
export async function visible(end: AbortSignal): Promise<void> {
	if (!document.hidden || end.aborted) return;
	await new Promise<void>((resolve) => {
		document.addEventListener("visibilitychange", () => resolve(), { once: true, signal: end });
		end.addEventListener("abort", () => resolve(), { once: true });
	});
}
