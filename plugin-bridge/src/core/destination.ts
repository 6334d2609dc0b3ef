/** Where a search result leads: the link text that opens it, and the one to insert. */

/** The parts of a result that say where it stands. */
export interface Place {
	readonly path: string;
	readonly title: string;
	/** Headings above it, outermost first, joined with " > "; "" when there is none. */
	readonly heading: string;
	/** Physical page from 1, null where the format has none. */
	readonly page: number | null;
}

const NOT_IN_LINKS = /[#^[\]|]|%%|\\/gu;

/** Return "#page=3", "#Heading" or "": the part of a link behind the path. */
export function subpathOf(place: Place): string {
	if (place.page !== null && /\.pdf$/iu.test(place.path)) return `#page=${place.page}`;
	if (place.heading === "" || !place.path.endsWith(".md")) return "";
	const last = place.heading.split(" > ").at(-1) ?? "";
	const spelt = last.replaceAll(NOT_IN_LINKS, " ").split(/\s+/u).filter(Boolean).join(" ");
	return spelt === "" ? "" : `#${spelt}`;
}

/** Return what a result's second line says: its heading, or its page, or its folder. */
export function placeLabel(place: Place): string {
	const folder = place.path.split("/").slice(0, -1).join("/");
	const headings = place.heading.split(" > ").filter((heading, depth) => depth > 0 || heading !== place.title);
	const where = place.page !== null ? [`p. ${place.page}`] : headings;
	return [folder, ...where].filter((part) => part !== "").join(" › ");
}
