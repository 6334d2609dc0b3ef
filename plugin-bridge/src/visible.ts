/** Waiting for somebody to look: nothing is asked for while the window is hidden. */

/** Resolve at once when the window can be seen, else as soon as it can. */
export async function visible(): Promise<void> {
	if (!document.hidden) return;
	await new Promise<void>((resolve) => {
		document.addEventListener("visibilitychange", () => resolve(), { once: true });
	});
}
