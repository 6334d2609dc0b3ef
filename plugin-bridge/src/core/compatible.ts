/** Whether this plugin and a daemon understand each other. */

/** Version of the interface that this plugin speaks; it grows when an older one would be misunderstood. */
export const PROTOCOL = 1;

/** Return, in a sentence, what to do about a daemon that speaks `protocol`; "" when it is the plugin's own. */
export function protocolProblem(protocol: number): string {
	if (protocol === PROTOCOL) return "";
	return protocol > PROTOCOL
		? "The daemon is newer than this plugin: run vaultd init --plugin for this vault, then reload Obsidian."
		: "The daemon is older than this plugin: update vaultd, then start it again.";
}
