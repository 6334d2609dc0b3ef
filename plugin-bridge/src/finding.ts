/** Finds the daemon of this vault: where it listens, and the token that opens it. */

import { normalizePath } from "obsidian";
import type { App, DataAdapter } from "obsidian";
import { addressIn, RUNTIME_FILE, runtimeFileIn, STATE_FOLDERS, TOKEN_FILE } from "./core/runtime-file";
import type { RuntimeFile } from "./core/runtime-file";
import type { Found, Machine } from "./daemon";
import type { BridgeSettings } from "./settings";

const MACHINE_KEY = "vaultd-machine";

/** Return address and token, null while there is no sign of a daemon. */
export async function findDaemon(app: App, settings: BridgeSettings): Promise<Found | null> {
	const { adapter } = app.vault;
	const typed = settings.address === "" ? null : addressIn(settings.address);
	const told = typed === null ? await toldBy(adapter) : { address: typed, protocol: null, machine: "", folder: "" };
	if (told === null) return null;
	const secret = settings.tokenSecret === "" ? null : app.secretStorage.getSecret(settings.tokenSecret);
	const token = secret ?? (await tokenBeside(adapter, told.folder));
	return { ...told, token: token.trim() };
}

/** Remembers this computer's id where Obsidian keeps what is never synced. */
export function thisMachine(app: App): Machine {
	return {
		recall: () => {
			const kept: unknown = app.loadLocalStorage(MACHINE_KEY);
			return typeof kept === "string" ? kept : "";
		},
		keep: (id) => app.saveLocalStorage(MACHINE_KEY, id),
	};
}

async function toldBy(adapter: DataAdapter): Promise<(RuntimeFile & { folder: string }) | null> {
	for (const folder of STATE_FOLDERS) {
		const text = await textOf(adapter, `${folder}/${RUNTIME_FILE}`);
		const told = text === null ? null : runtimeFileIn(text);
		if (told !== null) return { ...told, folder };
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
