/** What a person types into the search line, read into a question. */

export type Mode = "hybrid" | "words" | "vectors";

/** The question as the bridge takes it; filters that were not given are absent. */
export interface Asked {
	readonly query: string;
	readonly mode?: Mode;
	readonly under?: string;
	readonly type?: string;
	readonly tag?: string;
	readonly after?: string;
	readonly before?: string;
}

const FILTER = /(?:^|\s)(under|in|type|tag|after|before|mode):(?:"([^"]*)"|(\S+))(?=\s|$)/gu;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MODES: readonly string[] = ["hybrid", "words", "vectors"] satisfies Mode[];

/**
 * Take `type:concept tag:bread in:wiki/ after:2026-01-01 mode:words` out of the line.
 *
 * A filter that is still being typed, or is no day or mode, filters nothing yet. The rest,
 * "exact phrases" and -words included, is the query.
 */
export function askedIn(line: string): Asked {
	const found: Record<string, string> = {};
	const query = line.replace(FILTER, (_match, key: string, quoted?: string, plain?: string) => {
		const value = (quoted ?? plain ?? "").trim();
		const name = key === "in" ? "under" : key;
		if (isUsable(name, value)) found[name] = name === "tag" ? value.replace(/^#/, "") : value;
		return " ";
	});
	return { query: query.replace(/\s+/gu, " ").trim(), ...found };
}

function isUsable(name: string, value: string): boolean {
	if (name === "after" || name === "before") return DAY.test(value);
	if (name === "mode") return MODES.includes(value);
	return value !== "";
}

/** Return the filters as short labels, in the order in which people read them. */
export function filterLabels(asked: Asked): string[] {
	const labels: string[] = [];
	if (asked.type !== undefined) labels.push(`type ${asked.type}`);
	if (asked.tag !== undefined) labels.push(`#${asked.tag}`);
	if (asked.under !== undefined) labels.push(`in ${asked.under}`);
	if (asked.after !== undefined) labels.push(`from ${asked.after}`);
	if (asked.before !== undefined) labels.push(`to ${asked.before}`);
	if (asked.mode !== undefined && asked.mode !== "hybrid") labels.push(`by ${asked.mode}`);
	return labels;
}
