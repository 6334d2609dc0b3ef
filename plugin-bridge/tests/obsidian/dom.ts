/** What Obsidian adds to the page's own classes, as far as the plugin uses it. */

interface Wanted {
	text?: string;
	cls?: string;
	attr?: Record<string, string | null>;
}

function made(parent: Node, tag: string, wanted: Wanted | string = {}): HTMLElement {
	const el = document.createElement(tag);
	const { text, cls, attr } = typeof wanted === "string" ? { cls: wanted } as Wanted : wanted;
	if (cls) el.className = cls;
	if (text !== undefined) el.textContent = text;
	for (const [name, value] of Object.entries(attr ?? {})) if (value !== null) el.setAttribute(name, value);
	parent.appendChild(el);
	return el;
}

const ON_NODES = {
	createEl(this: Node, tag: string, wanted?: Wanted): HTMLElement {
		return made(this, tag, wanted);
	},
	createDiv(this: Node, wanted?: Wanted | string): HTMLElement {
		return made(this, "div", wanted);
	},
	createSpan(this: Node, wanted?: Wanted | string): HTMLElement {
		return made(this, "span", wanted);
	},
	empty(this: Node): void {
		while (this.firstChild) this.removeChild(this.firstChild);
	},
	appendText(this: Node, text: string): void {
		this.appendChild(document.createTextNode(text));
	},
	instanceOf(this: Node, type: typeof Node): boolean {
		return this instanceof type;
	},
};

const ON_ELEMENTS = {
	setText(this: HTMLElement, text: string): void {
		this.textContent = text;
	},
	getText(this: HTMLElement): string {
		return this.textContent ?? "";
	},
	addClass(this: HTMLElement, ...names: string[]): void {
		this.classList.add(...names);
	},
	removeClass(this: HTMLElement, ...names: string[]): void {
		this.classList.remove(...names);
	},
	toggleClass(this: HTMLElement, name: string, on: boolean): void {
		this.classList.toggle(name, on);
	},
	setAttr(this: HTMLElement, name: string, value: string): void {
		this.setAttribute(name, value);
	},
	setAttrs(this: HTMLElement, values: Record<string, string>): void {
		for (const [name, value] of Object.entries(values)) this.setAttribute(name, value);
	},
	toggle(this: HTMLElement, shown: boolean): void {
		this.style.display = shown ? "" : "none";
	},
	show(this: HTMLElement): void {
		this.style.display = "";
	},
	hide(this: HTMLElement): void {
		this.style.display = "none";
	},
};

/** Add everything to this window, once. */
export function addToPage(): void {
	Object.assign(Node.prototype, ON_NODES);
	Object.assign(HTMLElement.prototype, ON_ELEMENTS);
	Object.assign(window, { activeDocument: document, activeWindow: window });
	if (!("remove" in Array.prototype)) {
		Object.defineProperty(Array.prototype, "remove", {
			value(this: unknown[], item: unknown) {
				const place = this.indexOf(item);
				if (place >= 0) this.splice(place, 1);
			},
		});
	}
	if (!Element.prototype.scrollIntoView) Element.prototype.scrollIntoView = () => undefined;
	window.CSS ??= { escape: (text: string) => text.replace(/["\\]/g, "\\$&") } as typeof CSS;
}

addToPage();
