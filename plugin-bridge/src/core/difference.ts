/** Lines two texts share, and those they do not. */

export type LineKind = "same" | "removed" | "added";

export interface DiffLine {
	readonly kind: LineKind;
	readonly text: string;
}

/** A run of lines around changes; `skipped` unchanged lines before it are left out. */
export interface Hunk {
	readonly skipped: number;
	readonly lines: readonly DiffLine[];
}

const MOST_EDITS = 600; // beyond this two texts are shown as replaced: nobody reads such a diff

/** Return the lines of both texts in order, with a shortest script of edits (Myers 1986). */
export function lineDiff(before: string, after: string): DiffLine[] {
	const old = linesOf(before);
	const fresh = linesOf(after);
	let head = 0;
	while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
	let tail = 0;
	while (
		tail < old.length - head &&
		tail < fresh.length - head &&
		old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]
	) {
		tail += 1;
	}
	const lines: DiffLine[] = old.slice(0, head).map((text) => ({ kind: "same", text }));
	const middle = [old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)] as const;
	lines.push(...shortestScript(...middle));
	lines.push(...old.slice(old.length - tail).map((text): DiffLine => ({ kind: "same", text })));
	return lines;
}

function linesOf(text: string): string[] {
	if (text === "") return [];
	const lines = text.replaceAll("\r\n", "\n").split("\n");
	if (lines.at(-1) === "") lines.pop();
	return lines;
}

function shortestScript(old: readonly string[], fresh: readonly string[]): DiffLine[] {
	const trace = furthestReaches(old, fresh);
	if (trace === null) {
		return [
			...old.map((text): DiffLine => ({ kind: "removed", text })),
			...fresh.map((text): DiffLine => ({ kind: "added", text })),
		];
	}
	const lines: DiffLine[] = [];
	let x = old.length;
	let y = fresh.length;
	for (let edits = trace.length - 1; edits >= 0; edits -= 1) {
		const reach = trace[edits] ?? new Map<number, number>();
		const diagonal = x - y;
		const down =
			diagonal === -edits ||
			(diagonal !== edits && (reach.get(diagonal - 1) ?? -1) < (reach.get(diagonal + 1) ?? -1));
		const earlier = down ? diagonal + 1 : diagonal - 1;
		const earlierX = edits === 0 ? 0 : (reach.get(earlier) ?? 0);
		const earlierY = edits === 0 ? 0 : earlierX - earlier;
		while (x > earlierX && y > earlierY) {
			x -= 1;
			y -= 1;
			lines.push({ kind: "same", text: old[x] ?? "" });
		}
		if (edits === 0) break;
		if (down) lines.push({ kind: "added", text: fresh[earlierY] ?? "" });
		else lines.push({ kind: "removed", text: old[earlierX] ?? "" });
		x = earlierX;
		y = earlierY;
	}
	return lines.reverse();
}

/** Return, per number of edits, how far each diagonal was reached before it; null: too many edits. */
function furthestReaches(old: readonly string[], fresh: readonly string[]): Map<number, number>[] | null {
	const reach = new Map<number, number>([[1, 0]]);
	const trace: Map<number, number>[] = [];
	for (let edits = 0; edits <= Math.min(old.length + fresh.length, MOST_EDITS); edits += 1) {
		trace.push(new Map(reach));
		for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
			const left = reach.get(diagonal - 1) ?? -1;
			const above = reach.get(diagonal + 1) ?? -1;
			let x = diagonal === -edits || (diagonal !== edits && left < above) ? above : left + 1;
			while (x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]) x += 1;
			reach.set(diagonal, x);
			if (x >= old.length && x - diagonal >= fresh.length) return trace;
		}
	}
	return null;
}

/** Return only what changed, with `context` unchanged lines around each change. */
export function hunksOf(lines: readonly DiffLine[], context = 2): Hunk[] {
	const isChange = (line: DiffLine): boolean => line.kind !== "same";
	const near = lines.map((_line, place) => lines.slice(Math.max(0, place - context), place + context + 1).some(isChange));
	if (!near.includes(true)) return [];
	// A single line takes no more room than the words that it is left out.
	const shown = near.map((is, place) => is || (near[place - 1] !== false && near[place + 1] !== false));
	const hunks: { skipped: number; lines: DiffLine[] }[] = [];
	let skipped = 0;
	for (const [place, line] of lines.entries()) {
		if (shown[place] === true) {
			if (place === 0 || shown[place - 1] === false) hunks.push({ skipped, lines: [] });
			hunks.at(-1)?.lines.push(line);
			skipped = 0;
		} else skipped += 1;
	}
	return hunks;
}
