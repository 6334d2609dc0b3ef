/** What a path is in a vault of the daemon. */

const RAW = "raw/";
const WIKI = "wiki/";

/** Tell whether it is a dropped document. */
export function isSource(path: string): boolean {
	return path.startsWith(RAW);
}

/** Tell whether it is a note that the daemon may have written. */
export function isWikiPage(path: string): boolean {
	return path.startsWith(WIKI) && path.endsWith(".md");
}
