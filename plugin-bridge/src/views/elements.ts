/** Small pieces that several views share. */

import { setIcon } from "obsidian";
import type { App } from "obsidian";
import { nameOf } from "../core/activity";

/** Add a button; `key` keeps its focus across a redraw. */
export function addButton(
	parent: HTMLElement,
	label: string,
	key: string,
	act: () => void,
	look: "plain" | "primary" | "danger" = "plain",
): HTMLButtonElement {
	const cls = { plain: "", primary: "mod-cta", danger: "mod-warning" }[look];
	const button = parent.createEl("button", { text: label, cls, attr: { "data-key": key, type: "button" } });
	button.addEventListener("click", act);
	return button;
}

/** Add a button that shows an icon only; `label` is for the tooltip and for screen readers. */
export function addIconButton(parent: HTMLElement, icon: string, label: string, key: string, act: () => void): void {
	const button = parent.createEl("button", {
		cls: "clickable-icon",
		attr: { "aria-label": label, "data-key": key, type: "button" },
	});
	setIcon(button, icon);
	button.addEventListener("click", act);
}

/** Add a link that opens a file of the vault; with a modifier in a new tab. */
export function addFileLink(parent: HTMLElement, app: App, path: string, text = shownName(path)): HTMLElement {
	const link = parent.createEl("a", {
		text,
		cls: "vaultd-link",
		attr: { href: "#", "data-key": `link:${path}`, title: path },
	});
	link.addEventListener("click", (event) => {
		event.preventDefault();
		void app.workspace.openLinkText(path, "", event.ctrlKey || event.metaKey ? "tab" : false);
	});
	return link;
}

/** Add a sentence of the daemon's; what stands between backticks is a command or a setting. */
export function addProse(parent: HTMLElement, text: string): void {
	for (const [place, part] of text.split("`").entries()) {
		if (place % 2 === 1) parent.createEl("code", { text: part });
		else parent.appendText(part);
	}
}

/** Add a place such as "raw/bread › p. 2": its parts keep their order, whatever way each is written. */
export function addPlace(parent: HTMLElement, place: string): void {
	for (const [number, part] of place.split(/(\/| › )/u).entries()) {
		if (number % 2 === 1) parent.appendText(part);
		else parent.createEl("bdi", { text: part });
	}
}

/** Return the file's name without the ending of notes. */
export function shownName(path: string): string {
	return nameOf(path).replace(/\.md$/u, "");
}

/** Show that there is nothing, and what would make it something. */
export function addEmptyState(parent: HTMLElement, icon: string, title: string, text: string): HTMLElement {
	const empty = parent.createDiv({ cls: "vaultd-empty" });
	setIcon(empty.createDiv({ cls: "vaultd-empty-icon" }), icon);
	empty.createDiv({ cls: "vaultd-empty-title", text: title });
	empty.createDiv({ cls: "vaultd-empty-text", text });
	return empty;
}
