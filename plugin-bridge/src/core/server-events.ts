/** Server-sent events, put together from whatever pieces of text arrive. */

export interface ServerEvent {
	readonly name: string;
	readonly data: string;
}

/** Collects pieces of a stream; each call returns the events that became whole. */
export class EventReader {
	private rest = "";
	private name = "";
	private lines: string[] = [];

	/** Take the next piece, which may end anywhere, even between "\r" and "\n". */
	read(piece: string): ServerEvent[] {
		const text = this.rest + piece;
		const found: ServerEvent[] = [];
		let start = 0;
		for (;;) {
			const end = nextBreak(text, start);
			if (end === null) break;
			this.takeLine(text.slice(start, end.at), found);
			start = end.next;
		}
		this.rest = text.slice(start);
		return found;
	}

	private takeLine(line: string, found: ServerEvent[]): void {
		if (line === "") {
			if (this.lines.length > 0) found.push({ name: this.name || "message", data: this.lines.join("\n") });
			this.name = "";
			this.lines = [];
			return;
		}
		const colon = line.indexOf(":");
		const field = colon < 0 ? line : line.slice(0, colon);
		const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
		if (field === "event") this.name = value;
		if (field === "data") this.lines.push(value);
	}
}

function nextBreak(text: string, start: number): { at: number; next: number } | null {
	for (let at = start; at < text.length; at += 1) {
		if (text[at] === "\n") return { at, next: at + 1 };
		if (text[at] !== "\r") continue;
		if (at + 1 === text.length) return null; // its "\n" may come with the next piece
		return { at, next: text[at + 1] === "\n" ? at + 2 : at + 1 };
	}
	return null;
}
