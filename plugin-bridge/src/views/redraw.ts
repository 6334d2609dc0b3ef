/** Drawing a view anew without taking the person's place away. */

/**
 * Empty `el` and draw it, keeping scroll position, open details and the focused control.
 *
 * Controls and details are recognised by their `data-key`.
 */
export function redraw(el: HTMLElement, draw: () => void): void {
	const scrolled = el.scrollTop;
	const focused = keyOf(el.ownerDocument.activeElement);
	const open = new Set(keyed(el, "details[open]"));
	const closed = new Set(keyed(el, "details:not([open])"));
	el.empty();
	draw();
	for (const details of Array.from(el.querySelectorAll<HTMLDetailsElement>("details[data-key]"))) {
		const key = details.dataset.key ?? "";
		if (open.has(key)) details.open = true;
		if (closed.has(key)) details.open = false;
	}
	if (focused !== "") el.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus();
	el.scrollTop = scrolled;
}

function keyed(el: HTMLElement, selector: string): string[] {
	return Array.from(el.querySelectorAll<HTMLElement>(selector)).map((each) => each.dataset.key ?? "");
}

function keyOf(el: Element | null): string {
	return el?.getAttribute("data-key") ?? "";
}
