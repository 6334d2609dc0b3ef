/** The first start: say once how to get a daemon, if there is none. */

import type { Daemon } from "./daemon";
import type { Open } from "./opening";
import type { KeptSettings } from "./settings";

/** Open the activity view once, ever, when the first look finds no daemon. */
export function welcome(daemon: Daemon, settings: KeptSettings, open: Open): void {
	if (settings.current.welcomed) return;
	const stop = daemon.subscribe((state) => {
		if (state.kind === "searching") return;
		window.setTimeout(() => stop(), 0);
		if (settings.current.welcomed) return;
		void settings.change({ welcomed: true });
		if (state.kind !== "on") open.activity();
	});
}
