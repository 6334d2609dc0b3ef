/** A bridge that answers as scripted, for states that a real one is in for moments only. */

import type { OpenStream } from "../src/client";
import type { Check, Cost, Event, Finding, Job, Offer, Related, ReviewItem, Status } from "../src/protocol";
import { hitOf, jobOf, statusOf } from "./samples";

interface Request {
	url: string;
	method: string;
	headers: Record<string, string>;
	body?: string;
}

const VERSIONS = [
	{ version: "20261129T120000.000000Z", at: "2026-11-29T12:00:00.000000Z", size: 4 },
	{ version: "20261120T083000.000000Z", at: "2026-11-20T08:30:00.000000Z", size: 4 },
];

type Body = Record<string, unknown>;

export class ScriptedBridge {
	readonly asked: Request[] = [];
	status: Status = statusOf();
	jobs: Job[] = [];
	reviews: ReviewItem[] = [];
	name = "vaultd";
	protocol = 1;
	down = false;
	delay = 0;
	refuseAll: { status: number; detail: string; code: string } | null = null;
	checks: Check[] = [
		{ name: "versions", state: "ok", text: "vaultd 0.1.0, Python 3.11.9, SQLite 3.51.0, Linux 6.1" },
		{ name: "author", state: "failed", text: "Nothing answers at http://127.0.0.1:11434/v1.", remedy: "Start the model server, or set `llm.base_url`." },
		{ name: "vectors", state: "ok", text: "sqlite-vec 0.1.9 is loaded." },
		{ name: "sync", state: "warning", text: "This vault is synced by Dropbox.", remedy: "Set `state_dir` to a folder outside of it." },
	];
	findings: Finding[] = [
		{ kind: "orphan", path: "wiki/concepts/Koji.md", text: "No page links to it.", suggestions: [] },
		{ kind: "broken-link", path: "wiki/concepts/Miso.md", text: "Shoyu leads nowhere.", suggestions: ["wiki/concepts/Soy sauce.md"] },
		{ kind: "broken-link", path: "wiki/entities/Aspergillus oryzae.md", text: "Sake leads nowhere.", suggestions: [] },
	];
	costs: Cost[] = [
		{ path: "raw/Miso.md", tokens: 8_400, reason: "", waits: false },
		{ path: "raw/papers/Encyclopedia of grains.pdf", tokens: 640_000, reason: "", waits: true },
		{ path: "raw/papers/locked.pdf", tokens: 0, reason: "It is encrypted.", waits: false },
	];
	near: Related[] = [
		{ path: "wiki/concepts/Miso.md", title: "Miso", score: 0.9, link: "" },
		{ path: "Recipes/泡菜坛.md", title: "泡菜坛", score: 0.6, link: "" },
		{ path: "Journal/2026-11-01.md", title: "2026-11-01", score: 0.3, link: "" },
	];
	private readonly events: Event[] = [];
	private giveOffer: ((offer: Offer | null) => void) | null = null;
	private wake: ((gone: boolean) => void) | null = null;

	/** Whether somebody waits for events. */
	get waiting(): boolean {
		return this.wake !== null;
	}

	/** The token of the last call that had one. */
	get token(): string | undefined {
		return this.asked.findLast((each) => each.headers.authorization !== undefined)?.headers.authorization;
	}

	/** Return the bodies of the calls to one route, in order. */
	calls(route: string): Body[] {
		return this.asked
			.filter((each) => `${each.method} ${new URL(each.url).pathname}` === route)
			.map((each) => JSON.parse(each.body ?? "{}") as Body);
	}

	happen(kind: string, payload: Record<string, unknown>): void {
		this.events.push({ id: this.events.length + 1, at: new Date().toISOString(), kind, payload });
		this.wake?.(false);
	}

	stop(): void {
		this.down = true;
		this.wake?.(true);
	}

	start(): void {
		this.down = false;
	}

	readonly send = async (request: unknown): Promise<{ status: number; text: string }> => {
		const asked = request as Request;
		if (this.down) throw new Error("net::ERR_CONNECTION_REFUSED");
		this.asked.push(asked);
		if (this.refuseAll && !asked.url.endsWith("/health")) return { status: this.refuseAll.status, text: JSON.stringify(this.refuseAll) };
		const url = new URL(asked.url);
		const answer = await this.answer(asked.method, url, JSON.parse(asked.body ?? "{}") as Body);
		if (this.delay > 0) await new Promise((resolve) => setTimeout(resolve, this.delay));
		return answer === undefined
			? { status: 404, text: '{"detail": "There is no such route.", "code": "no_route"}' }
			: { status: 200, text: JSON.stringify(answer) };
	};

	readonly openStream: OpenStream = async ({ url, headers, body }) => {
		if (this.down) throw new Error("net::ERR_CONNECTION_REFUSED");
		this.asked.push({ url, method: "POST", headers, body });
		const { paths = [] } = JSON.parse(body) as { paths?: string[] };
		const costs = this.costs.filter((cost) => paths.length === 0 || paths.includes(cost.path));
		return { status: 200, pieces: piecesOf(costs.map((cost) => `data: ${JSON.stringify(cost)}\n\n`)) };
	};

	private async answer(method: string, url: URL, body: Body): Promise<unknown> {
		const route = `${method} ${url.pathname}`;
		switch (route) {
			case "GET /health":
				return { name: this.name, version: "0.1.0", protocol: this.protocol };
			case "GET /v1/status":
				return url.searchParams.get("files") === "0" ? { ...this.status, files: [] } : this.status;
			case "GET /v1/jobs":
				return { jobs: this.jobs };
			case "GET /v1/events":
				return this.eventsAfter(url.searchParams.get("since"));
			case "GET /v1/reviews":
				return { reviews: this.reviews };
			case "POST /v1/search":
				return this.found(String(body.query));
			case "POST /v1/related":
				return {
					path: body.path,
					results: this.near,
					notes: this.near.length ? [] : ["Nothing is found by meaning."],
				};
			case "GET /v1/folders":
				return { path: "wiki/concepts", abstract: "Ideas of fermenting: salt, heat and time.", overview: "", children: [] };
			case "POST /v1/pages/open":
				return this.offered(body.wait === 0);
			case "GET /v1/doctor":
				return { checks: this.checks };
			case "GET /v1/lint":
				return this.looked();
			case "POST /v1/lint":
				return jobOf({ kind: "lint", subject: ".", state: "done", result: this.looked() });
			case "POST /v1/retry":
				return { jobs: [jobOf(), jobOf({ id: 2 })] };
			case "GET /v1/usage":
				return { days: [{ day: "2026-11-29", model: "qwen3:14b", stage: "analysis", calls: 12, failed: 0, input_tokens: 90_200, output_tokens: 8_100 }], totals: this.status.usage };
			case "GET /v1/pages/history":
				return { path: "", current: "", versions: VERSIONS };
			case "GET /v1/pages/version":
				return { path: "", version: "", text: this.oldText };
			case "POST /v1/sources/forget":
				return jobOf({ state: "done", result: { removed: ["wiki/sources/Koji.md"], rewritten: ["wiki/concepts/Miso.md"], kept: [] } });
			default:
				return /\/(jobs|reviews|pages|ingest|sources|rebuild)\b/.test(url.pathname) ? jobOf({ state: "done" }) : undefined;
		}
	}

	private async eventsAfter(since: string | null): Promise<unknown> {
		const cursor = this.events.length;
		if (since === null) return { events: [], cursor, reset: false };
		if (Number(since) >= cursor) {
			const gone = await new Promise<boolean>((resolve) => (this.wake = resolve));
			this.wake = null;
			if (gone) throw new Error("net::ERR_CONNECTION_RESET");
		}
		return { events: this.events.slice(Number(since)), cursor: this.events.length, reset: false };
	}

	private found(query: string): unknown {
		const results = [
			hitOf(),
			hitOf({ id: "p2", path: "raw/bread/Sourdough.pdf", title: "Sourdough", heading: "", page: 2, snippet: "A **starter** is flour, water and patience.", also: [{ path: "wiki/concepts/Bread.md", title: "Bread", page: null, link: "" }] }),
			hitOf({ id: "p3", path: "Recipes/泡菜坛.md", title: "泡菜坛", heading: "", snippet: "**盐** 和水，密封两周。" }),
		];
		return { query, lanes: ["words", "vectors", "summaries"], results: query === "" ? [] : results, notes: [] };
	}

	/** Offer a write to whoever has the note open, once; null sends them away. */
	offer(offer: Offer | null): void {
		this.giveOffer?.(offer);
	}

	private async offered(atOnce: boolean): Promise<unknown> {
		this.giveOffer?.(null);
		if (atOnce) return { offer: null };
		return { offer: await new Promise<Offer | null>((resolve) => (this.giveOffer = resolve)) };
	}

	private looked(): Record<string, unknown> {
		const at = new Date(Date.now() - 3 * 3_600_000).toISOString();
		return { at, report: "wiki/reviews/lint.md", counts: {}, findings: this.findings };
	}

	/** Be in the middle of work. */
	busy(): void {
		const file = { reason: "", code: "", pages: [] as string[], attempts: 1 };
		this.status = statusOf({
			counts: { done: 1, queued: 2, running: 1, parked: 1, waiting: 1 },
			files: [
				{ ...file, path: "raw/papers/locked.pdf", state: "parked", reason: "It is encrypted.", attempts: 1 },
				{ ...file, path: "raw/papers/Encyclopedia of grains.pdf", state: "waiting", reason: "It would take about 640,000 tokens: try again to go on." },
				{ ...file, path: "raw/Koji.pdf", state: "running" },
				{ ...file, path: "raw/bread/Rye.docx", state: "queued" },
				{ ...file, path: "raw/bread/Baguette.epub", state: "queued" },
				{ ...file, path: "raw/Miso.md", state: "done", pages: ["wiki/concepts/Miso.md", "wiki/entities/Aspergillus oryzae.md"].slice(0, this.short ? 1 : 2) },
			],
			model: { chat: "qwen3:14b", embedding: "builtin" },
			usage: { calls: 42, input_tokens: 180_400, output_tokens: 21_300 },
			reviews_open: 2,
			problems: this.short ? [] : [{ code: "watch", text: "The disk of this vault gives no notice of changes; it is looked at every minute.", since: "" }],
		});
		this.jobs = [
			jobOf({ id: 3, subject: "raw/papers/locked.pdf", state: "parked", reason: "It is encrypted." }),
			jobOf({ id: 4, subject: "raw/Koji.pdf", state: "running", stage: "analysis", done: 2, total: 5 }),
			jobOf({ id: 5, subject: "raw/bread/Rye.docx" }),
			jobOf({ id: 6, subject: "raw/bread/Baguette.epub" }),
			jobOf({ id: 7, kind: "summarize", subject: "wiki/concepts", state: "queued" }),
		];
	}

	readonly oldText = "# Koji\n\nA mould on rice.\n\n## Heat\n\nIt grows at twenty-eight degrees.\n\n## Uses\n\n- Miso\n- Sake\n";
	readonly newText = "# Koji\n\nA mould, *Aspergillus oryzae*, grown on steamed rice or barley.\n\n## Heat\n\nIt grows at thirty degrees ([[raw/Koji.pdf#page=3|p. 3]]).\n\n## Uses\n\n- Miso\n- Sake\n- Shoyu\n";

	/** Whether texts are kept short, for tests that read them. */
	short = true;

	withReviews(): void {
		this.reviews = [
			{
				id: "review-1",
				kind: "conflict",
				title: "Koji",
				text: "You edited this page. A **new document** says more about it.",
				options: ["Accept", "Keep mine"],
				pages: ["wiki/concepts/Koji.md"],
				sources: ["Koji.pdf"],
				proposal: { path: "wiki/concepts/Koji.md", text: "Koji\n\nMy own words.\nIt likes warmth.\nIt grows at thirty degrees.\n", over: "" },
			},
			{
				id: "review-2",
				kind: "contradiction",
				title: "How long does miso ripen?",
				text: "Miso says six months, [[wiki/sources/Koji|Koji]] says two years.",
				options: ["Create Page", "Skip"],
				pages: ["wiki/concepts/Miso.md"],
				sources: ["Miso.md", "Koji.pdf"],
				proposal: null,
			},
		];
		this.status = { ...this.status, reviews_open: 2 };
	}
}

async function* piecesOf(pieces: readonly string[]): AsyncGenerator<string> {
	yield* pieces;
}
