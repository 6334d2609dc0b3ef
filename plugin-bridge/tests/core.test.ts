import { describe, expect, it } from "vitest";
import { activityOf } from "../src/core/activity";
import { askedIn, filterLabels } from "../src/core/asking";
import { pauseAfter } from "../src/core/backoff";
import { placeLabel, subpathOf } from "../src/core/destination";
import { hunksOf, lineDiff } from "../src/core/difference";
import { isSource, isWikiPage } from "../src/core/place";
import { protocolProblem } from "../src/core/compatible";
import { addressIn, runtimeFileIn } from "../src/core/runtime-file";
import { EventReader } from "../src/core/server-events";
import { timeSince } from "../src/core/since";
import { piecesOf } from "../src/core/snippet";
import { statusLine } from "../src/core/state";
import { jobOf, statusOf } from "./samples";

describe("the status line", () => {
	const on = (changes: Parameters<typeof statusOf>[0] = {}) =>
		statusLine({ kind: "on", status: statusOf(changes), jobs: [], address: "" });

	it("is calm when there is nothing to do", () => {
		expect(on()).toMatchObject({ text: "vaultd: up to date", mood: "idle" });
	});

	it("names what runs, what waits and what needs the person", () => {
		const line = on({ counts: { done: 1, queued: 2, running: 1, parked: 3 }, reviews_open: 1 });

		expect(line).toMatchObject({ text: "vaultd: 1 running · 2 queued · 3 parked · 1 review", mood: "working" });
	});

	it("asks for attention when only the person can go on", () => {
		expect(on({ reviews_open: 2 })).toMatchObject({ text: "vaultd: 2 reviews", mood: "attention" });
	});

	it("takes an absent daemon for a normal state", () => {
		expect(statusLine({ kind: "off" })).toMatchObject({ text: "vaultd: not running", mood: "off" });
	});
});

describe("how long ago", () => {
	const now = new Date("2026-11-30T12:00:00Z");

	it.each([
		["2026-11-30T11:59:30Z", "just now"],
		["2026-11-30T12:00:30Z", "just now"],
		["2026-11-30T11:55:00Z", "5 min ago"],
		["2026-11-30T09:00:00Z", "3 h ago"],
		["2026-11-29T09:00:00Z", "yesterday"],
		["2026-11-18T09:00:00Z", "12 days ago"],
		["no time", ""],
	])("%s is %s", (then, words) => {
		expect(timeSince(new Date(then), now)).toBe(words);
	});
});

describe("the search line", () => {
	it("is read into words and filters", () => {
		const asked = askedIn('koji rice type:concept tag:#bread in:"wiki/My pages" after:2026-01-31 mode:words');

		expect(asked).toEqual({
			query: "koji rice",
			type: "concept",
			tag: "bread",
			under: "wiki/My pages",
			after: "2026-01-31",
			mode: "words",
		});
	});

	it("ignores filters that are still being typed", () => {
		expect(askedIn("koji after:2026-0 mode:wor type:")).toEqual({ query: "koji type:" });
	});

	it("keeps phrases, exclusions and text with colons", () => {
		expect(askedIn('"slow rise" -yeast at 10:30')).toEqual({ query: '"slow rise" -yeast at 10:30' });
	});

	it("takes two filters side by side", () => {
		expect(askedIn("type:concept tag:a")).toEqual({ query: "", type: "concept", tag: "a" });
	});

	it("shows its filters as labels", () => {
		expect(filterLabels(askedIn("x tag:a in:wiki before:2026-02-01"))).toEqual(["#a", "in wiki", "to 2026-02-01"]);
	});
});

describe("a difference", () => {
	const shown = (before: string, after: string) =>
		lineDiff(before, after).map((line) => ({ same: " ", added: "+", removed: "-" })[line.kind] + line.text);

	it("is empty for equal texts, whatever their line ends", () => {
		expect(hunksOf(lineDiff("a\nb\n", "a\r\nb"))).toEqual([]);
	});

	it("keeps what both have", () => {
		expect(shown("a\nb\nc\nd", "a\nx\nc\nd\ne")).toEqual([" a", "-b", "+x", " c", " d", "+e"]);
	});

	it("handles empty sides", () => {
		expect(shown("", "a\nb")).toEqual(["+a", "+b"]);
		expect(shown("a\nb", "")).toEqual(["-a", "-b"]);
	});

	it("gives both texts back, for any two texts", () => {
		let seed = 7;
		const next = (below: number) => (seed = (seed * 16_807) % 2_147_483_647) % below;
		for (let round = 0; round < 300; round += 1) {
			const text = () => Array.from({ length: next(12) }, () => "abcd"[next(4)]).join("\n");
			const [before, after] = [text(), text()];
			const lines = lineDiff(before, after);
			const side = (gone: string) => lines.filter((line) => line.kind !== gone).map((line) => line.text).join("\n");

			expect(side("added")).toBe(before);
			expect(side("removed")).toBe(after);
		}
	});

	it("shows long rewrites as replaced, quickly", () => {
		const text = (word: string) => Array.from({ length: 5_000 }, (_, line) => `${word} ${line}`).join("\n");

		expect(lineDiff(text("a"), text("b"))).toHaveLength(10_000);
	});

	it("leaves out what is far from a change", () => {
		const before = Array.from({ length: 40 }, (_, line) => `line ${line}`);
		const after = before.with(20, "new");
		const hunks = hunksOf(lineDiff(before.join("\n"), after.join("\n")));

		expect(hunks).toHaveLength(1);
		expect(hunks[0]).toMatchObject({ skipped: 18 });
		expect(hunks[0]?.lines).toHaveLength(6);
	});
});

describe("what a difference leaves out", () => {
	it("is never a single line, which takes no more room than saying so", () => {
		const hunks = hunksOf(lineDiff("1\n2\n3\n4\n5\n6\n7\n8", "1\n2\n3\nx\n5\n6\n7\n8"), 2);

		expect(hunks).toMatchObject([{ skipped: 0 }]);
		expect(hunks[0]?.lines.map((line) => line.text)).toEqual(["1", "2", "3", "4", "x", "5", "6"]);
	});
});

describe("server-sent events", () => {
	const TEXT = 'event: text\r\ndata: {"a":\r\ndata: 1}\r\n\r\n: still here\n\nid: 4\ndata: two\n\n';

	it("are the same however the text is cut", () => {
		const whole = new EventReader().read(TEXT);
		for (let size = 1; size <= TEXT.length; size += 1) {
			const reader = new EventReader();
			const found = [];
			for (let at = 0; at < TEXT.length; at += size) found.push(...reader.read(TEXT.slice(at, at + size)));

			expect(found).toEqual(whole);
		}
		expect(whole).toEqual([
			{ name: "text", data: '{"a":\n1}' },
			{ name: "message", data: "two" },
		]);
	});
});

describe("finding the daemon", () => {
	it("believes a runtime file that makes sense", () => {
		expect(runtimeFileIn('{"port": 27331}')).toEqual({ address: "http://127.0.0.1:27331", protocol: null, machine: "" });
		expect(runtimeFileIn('{"port": 27331, "protocol": 1, "machine_id": "a1"}')).toMatchObject({ protocol: 1, machine: "a1" });
	});

	it.each(["", "{", "null", "{}", '{"port": "27331"}', '{"port": 0}', '{"port": 70000}'])("does not believe %j", (text) => {
		expect(runtimeFileIn(text)).toBeNull();
	});

	it("takes addresses on this computer only", () => {
		expect(addressIn(" 127.0.0.1:27331 ")).toBe("http://127.0.0.1:27331");
		expect(addressIn("http://localhost:8000/x")).toBe("http://localhost:8000");
		expect(["example.org:80", "https://127.0.0.1:1", "127.0.0.1", "no address", ""].map(addressIn)).toEqual([null, null, null, null, null]);
	});

	it("says which of both has to be updated when they speak differently", () => {
		expect(protocolProblem(1)).toBe("");
		expect(protocolProblem(2)).toContain("newer than this plugin");
		expect(protocolProblem(0)).toContain("older than this plugin");
	});

	it("waits ever longer, at most half a minute", () => {
		expect([1, 2, 3, 6, 60].map(pauseAfter)).toEqual([1_000, 2_000, 4_000, 30_000, 30_000]);
	});
});

describe("a result's place", () => {
	const place = { path: "wiki/Koji.md", title: "Koji", heading: "", page: null };

	it("is the nearest heading, spelt as links spell it", () => {
		expect(subpathOf({ ...place, heading: "Koji > Heat | and [time]" })).toBe("#Heat and time");
	});

	it("is the physical page of a PDF", () => {
		expect(subpathOf({ ...place, path: "raw/a.pdf", page: 3 })).toBe("#page=3");
	});

	it("is the whole file where there is nothing nearer", () => {
		expect(subpathOf(place)).toBe("");
		expect(subpathOf({ ...place, path: "raw/a.docx", heading: "One" })).toBe("");
	});

	it("is told with its folder", () => {
		expect(placeLabel({ ...place, heading: "Mould > Heat" })).toBe("wiki › Mould › Heat");
		expect(placeLabel({ ...place, page: 3 })).toBe("wiki › p. 3");
	});

	it("does not repeat the title that stands above it", () => {
		expect(placeLabel({ ...place, heading: "Koji > Heat" })).toBe("wiki › Heat");
		expect(placeLabel({ ...place, heading: "Koji" })).toBe("wiki");
	});

	it("is a document below raw and a page below wiki", () => {
		expect([isSource("raw/a.pdf"), isSource("Raw.md"), isWikiPage("wiki/a.md"), isWikiPage("wiki/media/a.png")]).toEqual([true, false, true, false]);
	});
});

describe("a snippet", () => {
	it("is split at its marks", () => {
		expect(piecesOf("a **b** c")).toEqual([
			{ text: "a ", marked: false },
			{ text: "b", marked: true },
			{ text: " c", marked: false },
		]);
	});
});

describe("the activity", () => {
	const file = (path: string, state: string, reason = "") => ({ path, state, reason, code: "", pages: [], attempts: 1 });

	it("puts everything where a person looks for it", () => {
		const status = statusOf({
			files: [file("raw/a.pdf", "parked", "It is encrypted."), file("raw/b.pdf", "running"), file("raw/c.md", "done"), file("raw/d.tmp", "skipped")],
		});
		const jobs = [jobOf({ id: 4, subject: "raw/b.pdf", state: "running", stage: "chunk_analysis", done: 1, total: 4 }), jobOf({ id: 5, kind: "index", subject: "wiki/a.md", state: "paused" })];
		const lists = activityOf(status, jobs);

		expect(lists.needsYou.map((row) => row.key)).toEqual(["file:raw/a.pdf", "job:5"]);
		expect(lists.atWork[0]).toMatchObject({ stage: "Turning into pages: chunk analysis 1 of 4", share: 0.25, jobId: 4, canCancel: true });
		expect(lists.done).toHaveLength(1);
		expect(lists.setAside).toHaveLength(1);
	});

	it("offers another try only where it can help", () => {
		const lists = activityOf(statusOf({ files: [file("raw/a.pdf", "parked", "why"), file("raw/c.md", "done")] }), []);

		expect([lists.needsYou[0]?.canRetry, lists.done[0]?.canRetry]).toEqual([true, false]);
	});
});
