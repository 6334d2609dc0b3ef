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

/** Tell whether its pages can be asked for: a dropped document, or one that lies elsewhere in the vault. */
export function isDocument(path: string): boolean {
	return isSource(path) || (!path.startsWith(WIKI) && !path.endsWith(".md"));
}
