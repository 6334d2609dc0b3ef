/** The file by which a running daemon tells where it listens. */

export interface RuntimeFile {
	/** Without a final "/". */
	readonly address: string;
	/** Version of the interface, null when it is not told. */
	readonly protocol: number | null;
	/** Id of the computer it runs on, "" when it is not told. */
	readonly machine: string;
}

/** Places of the runtime file, tried in order: the second beside another program's state. */
export const STATE_FOLDERS = [".llm-wiki", ".llm-wiki/vaultd"] as const;
export const RUNTIME_FILE = "bridge.json";
export const TOKEN_FILE = "token";

/** Return what the file says, null when it does not say where the daemon listens. */
export function runtimeFileIn(text: string): RuntimeFile | null {
	let said: unknown;
	try {
		said = JSON.parse(text);
	} catch {
		return null; // half written by a sync tool: looked at again soon
	}
	if (typeof said !== "object" || said === null) return null;
	const { port, protocol, machine_id: machine } = said as Record<string, unknown>;
	if (typeof port !== "number" || !Number.isInteger(port) || port < 1 || port > 65_535) return null;
	return {
		address: `http://127.0.0.1:${port}`,
		protocol: typeof protocol === "number" ? protocol : null,
		machine: typeof machine === "string" ? machine : "",
	};
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
