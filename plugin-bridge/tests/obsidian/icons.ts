/** A few outlines in the manner of Obsidian's icons; any other name is a circle. */

const PATHS: Record<string, string> = {
	"rotate-cw": "M21 12a9 9 0 1 1-3-6.7M21 3v5h-5",
	x: "M18 6 6 18M6 6l12 12",
	search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M21 21l-5-5",
	"circle-check": "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M8 12l3 3 5-6",
	"circle-x": "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M15 9l-6 6M9 9l6 6",
	"triangle-alert": "M12 4 2.500 20h19zM12 10v4M12 17v.5",
	"circle-arrow-up": "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 16V8M8 12l4-4 4 4",
	"monitor-smartphone": "M18 8V5a1 1 0 0 0-1-1H3a1 1 0 0 0-1 1v9a1 1 0 0 0 1 1h9M8 15v4M6 19h6M16 12h6v9h-6z",
	"circle-alert": "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 8v5M12 16v.5",
	"moon-star": "M20 13a8 8 0 1 1-9-9 6 6 0 0 0 9 9M19 3v4M17 5h4",
	waypoints: "M12 4a2 2 0 1 0 0 4 2 2 0 0 0 0-4M5 11a2 2 0 1 0 0 4 2 2 0 0 0 0-4M19 11a2 2 0 1 0 0 4 2 2 0 0 0 0-4M12 17a2 2 0 1 0 0 4 2 2 0 0 0 0-4M10.500 7.500 6.500 11.500M7 13h10M13.500 17.500 17.500 14.500",
	"key-round": "M8 10a4 4 0 1 0 0 8 4 4 0 0 0 0-8M11 11l8-8M16 6l3 3",
	"book-open-text": "M3 5c3-1 6-1 9 1 3-2 6-2 9-1v14c-3-1-6-1-9 1-3-2-6-2-9-1zM12 6v14",
};
const CIRCLE = "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16";

/** Put an icon into `el`, in place of one that is there. */
export function setIcon(el: HTMLElement, name: string): void {
	const space = "http://www.w3.org/2000/svg";
	const svg = document.createElementNS(space, "svg");
	const shape = { viewBox: "0 0 24 24", width: "18", height: "18", fill: "none", stroke: "currentColor" };
	const line = { "stroke-width": "1.8", "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true" };
	for (const [key, value] of Object.entries({ ...shape, ...line })) svg.setAttribute(key, value);
	const path = document.createElementNS(space, "path");
	path.setAttribute("d", PATHS[name] ?? CIRCLE);
	svg.append(path);
	el.querySelector("svg")?.remove();
	el.prepend(svg);
}
