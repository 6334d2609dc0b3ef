/** The file by which a running daemon tells where it listens. */

export interface Endpoint {
	/** Without a final "/". */
	readonly address: string;
	/** Folder of the runtime file in the vault; the token stands beside it. "" when typed in. */
	readonly folder: string;
}

/** Places of the runtime file, tried in order: the second beside another program's state. */
export const STATE_FOLDERS = [".llm-wiki", ".llm-wiki/vaultd"] as const;
export const RUNTIME_FILE = "bridge.json";
export const TOKEN_FILE = "token";
export const PROTOCOL = 1;

/** Return where the file says the daemon listens, null when it says nothing usable. */
export function endpointIn(text: string, folder: string): Endpoint | null {
	let said: unknown;
	try {
		said = JSON.parse(text);
	} catch {
		return null; // half written by a sync tool: looked at again soon
	}
	if (typeof said !== "object" || said === null || !("port" in said)) return null;
	const { port } = said;
	if (typeof port !== "number" || !Number.isInteger(port) || port < 1 || port > 65_535) return null;
	return { address: `http://127.0.0.1:${port}`, folder };
}

/** Return the address a person typed, without a path; null unless it is on this computer. */
export function addressIn(typed: string): string | null {
	let url: URL;
	try {
		url = new URL(typed.includes("://") ? typed.trim() : `http://${typed.trim()}`);
	} catch {
		return null;
	}
	const here = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
	return url.protocol === "http:" && here && url.port !== "" ? `http://${url.host}` : null;
}
