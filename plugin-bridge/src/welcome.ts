/** The first start: say once how to get a daemon, if there is none. */

import type { Daemon } from "./daemon";
import type { Open } from "./opening";
import type { KeptSettings } from "./settings";

/** Open the activity view once, ever, when the first look finds no daemon. */
export function welcome(daemon: Daemon, settings: KeptSettings, open: Open): void {
	if (settings.current.welcomed) return;
	daemon.watch((state) => {
		if (state.kind === "searching") return false;
		void settings.change({ welcomed: true });
		if (state.kind !== "on") open.activity();
		return true;
	});
}
