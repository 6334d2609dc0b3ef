/** Finds the daemon of this vault: where it listens, and the token that opens it. */

import { normalizePath } from "obsidian";
import type { App, DataAdapter } from "obsidian";
import { addressIn, endpointIn, RUNTIME_FILE, STATE_FOLDERS, TOKEN_FILE } from "./core/runtime-file";
import type { Endpoint } from "./core/runtime-file";
import type { Found } from "./daemon";
import type { BridgeSettings } from "./settings";

/** Return address and token, null while there is no sign of a daemon. */
export async function findDaemon(app: App, settings: BridgeSettings): Promise<Found | null> {
	const endpoint = await endpointOf(app.vault.adapter, settings.address);
	if (endpoint === null) return null;
	const secret = settings.tokenSecret === "" ? null : app.secretStorage.getSecret(settings.tokenSecret);
	const token = secret ?? (await tokenBeside(app.vault.adapter, endpoint.folder));
	return { endpoint, token: token.trim() };
}

async function endpointOf(adapter: DataAdapter, typed: string): Promise<Endpoint | null> {
	const told = await toldEndpoint(adapter);
	const address = typed === "" ? null : addressIn(typed);
	return address === null ? told : { address, folder: told?.folder ?? "" };
}

async function toldEndpoint(adapter: DataAdapter): Promise<Endpoint | null> {
	for (const folder of STATE_FOLDERS) {
		const text = await textOf(adapter, `${folder}/${RUNTIME_FILE}`);
		const endpoint = text === null ? null : endpointIn(text, folder);
		if (endpoint !== null) return endpoint;
	}
	return null;
}

async function tokenBeside(adapter: DataAdapter, folder: string): Promise<string> {
	const folders = folder === "" ? STATE_FOLDERS : [folder];
	for (const each of folders) {
		const text = await textOf(adapter, `${each}/${TOKEN_FILE}`);
		if (text !== null) return text;
	}
	return "";
}

/** Return a hidden file's text through the adapter, which alone sees dot folders; null: no file. */
async function textOf(adapter: DataAdapter, path: string): Promise<string | null> {
	const place = normalizePath(path);
	try {
		return (await adapter.exists(place)) ? await adapter.read(place) : null;
	} catch {
		return null; // it went away between the two calls, as it does when the daemon stops
	}
}
