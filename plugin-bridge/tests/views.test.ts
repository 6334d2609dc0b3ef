import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import VaultdBridge from "../src/main";
import { until } from "./daemon";
import { App, MarkdownView, MemoryTexts, Notice, network, TFile } from "./obsidian";
import type { Plugin } from "./obsidian";
import { jobOf, statusOf } from "./samples";
import { ScriptedBridge } from "./scripted-bridge";

const RUNTIME = ".llm-wiki/bridge.json";

let texts: MemoryTexts;
let app: App;
let bridge: ScriptedBridge;
let plugin: Plugin;

/** The plugin, loaded into a window of its own, beside a bridge that answers as scripted. */
async function load(saved: unknown = { welcomed: true }): Promise<void> {
	plugin = new (VaultdBridge as unknown as new (app: App, manifest: object) => Plugin)(app, { id: "vaultd-bridge" });
	plugin.saved = saved;
	plugin.load();
	await until(() => plugin.commands.size > 0, "the plugin to load", 2_000);
}

async function running(): Promise<void> {
	texts.texts.set(RUNTIME, '{"port": 27331, "protocol": 1}');
	texts.texts.set(".llm-wiki/token", "secret\n");
	await load();
	await shown("vaultd:", ".status-bar-item");
}

async function shown(text: string, selector = "body"): Promise<HTMLElement> {
	const find = (): HTMLElement | undefined =>
		Array.from(document.querySelectorAll<HTMLElement>(selector)).find((el) => el.textContent?.includes(text));
	await until(find, `"${text}" to be shown in ${document.body.textContent ?? ""}`, 3_000);
	return find() as HTMLElement;
}

function press(el: Element | null | undefined): void {
	(el as HTMLElement).click();
}

function run(id: string): boolean {
	const command = plugin.commands.get(id);
	if (command?.callback) command.callback();
	return command?.checkCallback?.(false) ?? true;
}

function type(input: HTMLInputElement | HTMLTextAreaElement, text: string): void {
	input.value = text;
	input.dispatchEvent(new Event("input"));
}

beforeEach(() => {
	document.body.replaceChildren();
	for (const place of ["main", "right", "status"]) document.body.createDiv({ attr: { id: place } });
	texts = new MemoryTexts();
	app = new App(texts);
	for (const place of ["main", "right", "status"]) app.places[place] = document.getElementById(place) as HTMLElement;
	bridge = new ScriptedBridge();
	network.send = bridge.send;
	network.openStream = bridge.openStream;
	Notice.shown.length = 0;
	vi.spyOn(console, "error").mockImplementation((...told) => {
		throw new Error(`told the console: ${told.join(" ")}`);
	});
});

afterEach(() => {
	plugin.unload();
	vi.restoreAllMocks();
});

describe("the status bar", () => {
	it("says that there is no daemon, and how to start one", async () => {
		await load();
		press(await shown("not running", ".status-bar-item"));
		const view = await shown("The daemon is not running", ".view-content");

		expect(view.textContent).toContain('vaultd run --vault "/home/ada/Notes"');
		expect(Notice.shown).toEqual([]);
	});

	it("finds the daemon by its runtime file, and opens it with the token beside", async () => {
		await running();

		expect(bridge.asked.every((each) => each.url.startsWith("http://127.0.0.1:27331/"))).toBe(true);
		expect(bridge.token).toBe("Bearer secret");
	});

	it("finds it beside another program's files too", async () => {
		texts.texts.set(".llm-wiki/vaultd/bridge.json", '{"port": 27332}');
		texts.texts.set(".llm-wiki/vaultd/token", "other");
		await load();
		await shown("up to date", ".status-bar-item");

		expect(bridge.token).toBe("Bearer other");
	});

	it("takes the token from the chosen secret", async () => {
		texts.texts.set(RUNTIME, '{"port": 27331}');
		app.secretStorage.setSecret("vaultd", "from the keychain");
		await load({ welcomed: true, tokenSecret: "vaultd" });
		await shown("up to date", ".status-bar-item");

		expect(bridge.token).toBe("Bearer from the keychain");
	});

	it("says when the token is wrong", async () => {
		bridge.refuseAll = { status: 401, detail: "The token is missing or wrong.", code: "token" };
		texts.texts.set(RUNTIME, '{"port": 27331}');
		await load();
		press(await shown("no access", ".status-bar-item"));

		await shown("Choose the token in the settings", ".view-content");
	});

	it("keeps the token from a program that is no daemon", async () => {
		bridge.name = "another";
		texts.texts.set(RUNTIME, '{"port": 27331}');
		await load();
		await shown("not running", ".status-bar-item");

		expect(bridge.asked.map((each) => [each.url, each.headers.authorization])).toEqual([["http://127.0.0.1:27331/health", undefined]]);
	});

	it.each([
		["its runtime file", '{"port": 27331, "protocol": 2}', 1],
		["itself", '{"port": 27331}', 2],
	])("says what to update when %s tells of another protocol, and asks nothing more", async (_by, file, protocol) => {
		bridge.protocol = protocol;
		texts.texts.set(RUNTIME, file);
		await load();
		press(await shown("update needed", ".status-bar-item"));
		await shown("The daemon is newer than this plugin: run vaultd init --plugin for this vault, then reload Obsidian.", ".view-content");

		expect(bridge.calls("GET /v1/status")).toEqual([]);
		expect(Notice.shown).toEqual([]);
	});

	describe("beside a runtime file that a sync tool brought from another computer", () => {
		beforeEach(() => {
			app.saveLocalStorage("vaultd-machine", "here");
			texts.texts.set(RUNTIME, '{"port": 27331, "protocol": 1, "machine_id": "there"}');
		});

		it("says that the daemon runs there, not here", async () => {
			bridge.down = true;
			await load();
			press(await shown("on another computer", ".status-bar-item"));
			const view = await shown("The daemon runs on another computer", ".view-content");

			expect(view.textContent).toContain('vaultd take-over --vault "/home/ada/Notes"');
		});

		it("is not misled by another vault's daemon on the same port", async () => {
			bridge.refuseAll = { status: 401, detail: "The token is missing or wrong.", code: "token" };
			await load();

			await shown("on another computer", ".status-bar-item");
		});

		it("believes a daemon that its token opens: this computer has a new name", async () => {
			await load();
			await shown("up to date", ".status-bar-item");

			expect(app.loadLocalStorage("vaultd-machine")).toBe("there");
		});
	});

	it("tells once, on the first start ever, how to get a daemon", async () => {
		await load({});
		await shown("The daemon is not running", ".view-content");

		expect(plugin.saved).toMatchObject({ welcomed: true });
	});
});

describe("the activity view", () => {
	beforeEach(async () => {
		bridge.busy();
		await running();
		run("show-activity");
		await shown("Needs you");
	});

	it("shows what runs with its stage, and why others wait", async () => {
		const text = (await shown("At work", ".view-content")).textContent ?? "";

		expect(text).toContain("Turning into pages: analysis 2 of 5");
		expect(text).toContain("It is encrypted.");
		expect(document.querySelector("progress")?.getAttribute("value")).toBe("0.4");
	});

	it("tries again and stops", async () => {
		press(document.querySelector('[aria-label="Try locked.pdf again"]'));
		press(document.querySelector('[aria-label="Stop work on Koji.pdf"]'));
		await until(() => bridge.calls("DELETE /v1/jobs/4").length, "the cancel", 2_000);

		expect(bridge.calls("POST /v1/jobs/3/retry")).toHaveLength(1);
	});

	it("keeps the focused button across news", async () => {
		const key = '[aria-label="Stop work on Koji.pdf"]';
		(document.querySelector(key) as HTMLElement).focus();
		bridge.happen("progress", { id: 4, stage: "generation", done: 1, total: 2 });
		await new Promise((resolve) => setTimeout(resolve, 50));
		await until(() => bridge.waiting, "the next look", 3_000);

		expect(document.activeElement).toBe(document.querySelector(key));
		expect(bridge.asked.findLast((each) => each.url.includes("/v1/status"))?.url).toContain("files=0"); // no file changed
		expect(document.body.textContent).toContain("Rye.docx");
	});

	it("leads to the pages that were made", async () => {
		press(await shown("Miso", ".vaultd-pages a"));

		expect(app.workspace.opened[0]?.path).toBe("wiki/concepts/Miso.md");
	});
});

describe("the search modal", () => {
	let input: HTMLInputElement;

	beforeEach(async () => {
		await running();
		app.workspace.activeEditor = { editor: { replaceSelection: (text) => inserted.push(text) }, file: new TFile("Daily.md") };
		for (const path of ["wiki/concepts/Koji.md", "raw/bread/Sourdough.pdf"]) app.vault.add(path);
		run("search");
		input = document.querySelector(".prompt-input") as HTMLInputElement;
		inserted.length = 0;
	});

	const inserted: string[] = [];
	const key = (name: string, held: object = {}): void => void input.dispatchEvent(new KeyboardEvent("keydown", { key: name, ...held, bubbles: true }));

	it("finds as one types, with the words marked", async () => {
		type(input, "koji heat");
		await shown("Koji", ".suggestion-item");

		expect(document.querySelector(".suggestion-item mark")?.textContent).toBe("thirty");
		expect(bridge.calls("POST /v1/search").at(-1)).toMatchObject({ query: "koji heat", typing: true });
	});

	it("opens the exact heading with Enter, the PDF page in a new tab with Ctrl+Enter", async () => {
		type(input, "koji");
		await shown("Koji", ".suggestion-item");
		key("Enter");
		run("search");
		input = document.querySelector(".prompt-input") as HTMLInputElement;
		type(input, "sourdough");
		await shown("Sourdough", ".suggestion-item");
		key("ArrowDown");
		key("Enter", { ctrlKey: true });

		expect(app.workspace.opened).toMatchObject([
			{ path: "wiki/concepts/Koji.md#Heat", pane: false },
			{ path: "raw/bread/Sourdough.pdf#page=2", pane: "tab" },
		]);
	});

	it("inserts a link with Shift+Enter", async () => {
		type(input, "koji");
		await shown("Koji", ".suggestion-item");
		key("ArrowDown");
		key("Enter", { shiftKey: true });

		expect(inserted).toEqual(["[[raw/bread/Sourdough.pdf#page=2|Sourdough, p. 2]]"]);
	});

	it("leaves Enter to an input method that is at work", async () => {
		type(input, "koji");
		await shown("Koji", ".suggestion-item");
		key("Enter", { shiftKey: true, isComposing: true });

		expect(inserted).toEqual([]);
	});

	it("tells where else it stands, each name of a path in its own direction", async () => {
		type(input, "sourdough");
		const hit = await shown("Sourdough", ".suggestion-item:nth-of-type(2)");
		const [place, also] = Array.from(hit.querySelectorAll(".vaultd-hit-place"));

		expect(place?.textContent).toBe("raw/bread");
		expect(Array.from(place?.querySelectorAll("bdi") ?? [], (each) => each.textContent)).toEqual(["raw", "bread"]);
		expect(also?.textContent).toBe("Also in Bread (wiki/concepts)");
	});

	it("sends filters apart from words, and shows them", async () => {
		type(input, "koji type:concept in:wiki");
		await shown("Koji", ".suggestion-item");

		expect(bridge.calls("POST /v1/search").at(-1)).toMatchObject({ query: "koji", type: "concept", under: "wiki" });
		expect(document.querySelector(".vaultd-filters")?.textContent).toBe("type conceptin wiki");
	});

	it("asks one question at a time and skips what was typed over", async () => {
		bridge.delay = 30;
		for (const line of ["k", "ko", "koj", "koji"]) type(input, line);
		await shown("Koji", ".suggestion-item");
		await new Promise((resolve) => setTimeout(resolve, 80));

		expect(bridge.calls("POST /v1/search").map((body) => body.query)).toEqual(["k", "koji"]);
	});

	it("shows what it has while one types faster than the daemon answers", async () => {
		bridge.delay = 60;
		type(input, "ko");
		await new Promise((resolve) => setTimeout(resolve, 40));
		type(input, "koj");
		await shown("Koji", ".suggestion-item");

		expect(bridge.calls("POST /v1/search").map((body) => body.query)).toEqual(["ko", "koj"]);
	});

	it("says that the daemon is not running instead of failing", async () => {
		bridge.down = true;
		type(input, "koji");

		await shown("The daemon is not running", ".suggestion-empty");
	});
});

describe("reviews", () => {
	beforeEach(async () => {
		bridge.withReviews();
		app.vault.add("wiki/concepts/Koji.md");
		texts.texts.set("wiki/concepts/Koji.md", "Koji\n\nMy own words.\nIt likes warmth.\n");
		await running();
		run("show-reviews");
		await shown("Your edit and a new text");
	});

	it("show what accepting would change", () => {
		const added = Array.from(document.querySelectorAll(".is-added"), (el) => el.textContent);

		expect(added).toEqual(["+It grows at thirty degrees."]);
	});

	it("are answered with an option", async () => {
		press(await shown("Keep mine", "button"));
		await until(() => bridge.calls("POST /v1/reviews/review-1").length, "the answer", 2_000);

		expect(bridge.calls("POST /v1/reviews/review-1")).toEqual([{ action: "Keep mine" }]);
	});

	it("are answered in words", async () => {
		type(document.querySelector("textarea") as HTMLTextAreaElement, "Both are right.");
		press(await shown("Answer", ".vaultd-own-words button"));
		await until(() => bridge.calls("POST /v1/reviews/review-1").length, "the answer", 2_000);

		expect(bridge.calls("POST /v1/reviews/review-1")).toEqual([{ action: "answer", text: "Both are right." }]);
	});
});

describe("related notes", () => {
	it("follow the note that is read", async () => {
		await running();
		run("show-related");
		await shown("No note is open");
		app.workspace.active = app.vault.add("wiki/concepts/Koji.md");
		app.workspace.trigger("file-open");
		press(await shown("Miso", ".vaultd-row a"));

		expect(bridge.calls("POST /v1/related").at(-1)).toMatchObject({ path: "wiki/concepts/Koji.md" });
		expect(app.workspace.opened[0]?.path).toBe("wiki/concepts/Miso.md");
	});

	it("say why there are none", async () => {
		bridge.near = [];
		await running();
		app.workspace.active = app.vault.add("wiki/concepts/Koji.md");
		run("show-related");

		await shown("Nothing is found by meaning.");
	});
});

describe("a note that is open in an editor", () => {
	const KOJI = "wiki/concepts/Koji.md";
	const OFFER = { id: 7, path: KOJI, before: "old\n", after: "new\n" };
	let view: MarkdownView;

	beforeEach(async () => {
		texts.texts.set(KOJI, "old\n");
		await running();
		app.views.set("markdown", (leaf) => new MarkdownView(leaf) as never);
		const leaf = app.workspace.getLeaf();
		await leaf.setViewState({ type: "markdown" });
		view = leaf.view as unknown as MarkdownView;
		view.file = app.vault.add(KOJI);
		view.typed = "old\n";
		app.workspace.trigger("layout-change");
		await until(() => asked().length, "the daemon to be told", 2_000);
	});

	const asked = () => bridge.calls("POST /v1/pages/open");
	const answered = async (): Promise<void> => until(() => asked().some((body) => body.answered === 7), "the answer", 2_000);

	it("is told, and gets what the daemon offers to write", async () => {
		bridge.offer(OFFER);
		await answered();

		expect(asked()).toEqual([{ notes: [KOJI], answered: 0 }, { notes: [KOJI], answered: 7 }]);
		expect(texts.texts.get(KOJI)).toBe("new\n");
	});

	it("is left alone while it holds what is not saved yet", async () => {
		view.typed = "old\nand a new thou";
		bridge.offer(OFFER);
		await answered();

		expect(texts.texts.get(KOJI)).toBe("old\n");
	});

	it("is left alone where the file is another than the daemon read", async () => {
		texts.texts.set(KOJI, "old\nmine\n");
		bridge.offer(OFFER);
		await answered();

		expect(texts.texts.get(KOJI)).toBe("old\nmine\n");
	});

	it("is not told again at once by a plugin that was sent away", async () => {
		bridge.offer(null);
		await new Promise((resolve) => setTimeout(resolve, 100));

		expect(asked()).toHaveLength(1);
	});

	it("is no longer told when it is closed", async () => {
		view.file = null;
		app.workspace.trigger("layout-change");
		await new Promise((resolve) => setTimeout(resolve, 400));
		bridge.offer(OFFER);
		await answered();

		expect(asked().at(-1)).toEqual({ answered: 7, wait: 0 });
	});
});

describe("commands about one file", () => {
	beforeEach(running);

	it("are offered where they fit", () => {
		const fits = (path: string | null): string[] => {
			app.workspace.active = path === null ? null : app.vault.add(path);
			return [...plugin.commands.values()].filter((each) => each.checkCallback?.(true)).map((each) => each.id);
		};

		const folder = ["refresh-folder", "show-abstract"];

		expect(fits(null)).toEqual([]);
		expect(fits("Journal/day.md")).toEqual(folder);
		expect(fits("raw/a.pdf")).toEqual(["ingest-file", "read-together", "show-pages", "undo-ingest", "forget-source", ...folder]);
		expect(fits("Attachments/a.pdf")).toEqual(["ingest-file", ...folder]);
		expect(fits("wiki/concepts/Koji.md")).toEqual(["page-history", ...folder]);
	});

	it("forget a document after showing what that does", async () => {
		app.workspace.active = app.vault.add("raw/Koji.pdf");
		run("forget-source");
		await shown("These pages come from it alone", ".modal");
		expect(bridge.calls("POST /v1/sources/forget")).toEqual([{ path: "raw/Koji.pdf", dry_run: true }]);
		press(await shown("Forget it", ".modal button"));
		await until(() => bridge.calls("POST /v1/sources/forget").length === 2, "the forgetting", 2_000);

		expect(bridge.calls("POST /v1/sources/forget")[1]).toEqual({ path: "raw/Koji.pdf" });
	});

	it("restore an old version, bound to the text that was compared", async () => {
		texts.texts.set("wiki/concepts/Koji.md", "new\n");
		app.workspace.active = app.vault.add("wiki/concepts/Koji.md");
		run("page-history");
		press(await shown("Restore this version", "button"));
		await until(() => bridge.calls("POST /v1/pages/restore").length, "the restoring", 2_000);

		expect(bridge.calls("POST /v1/pages/restore")[0]).toEqual({
			path: "wiki/concepts/Koji.md",
			version: "20261129T120000.000000Z",
			if_match: "7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c",
		});
	});

	it("show the pages of a document", async () => {
		bridge.busy();
		app.workspace.active = app.vault.add("raw/Miso.md");
		run("show-pages");
		await until(() => app.workspace.opened.length, "the page", 2_000);

		expect(app.workspace.opened[0]?.path).toBe("wiki/concepts/Miso.md");
	});
});

describe("what models were asked", () => {
	it("is told by day", async () => {
		await running();
		run("show-usage");

		expect((await shown("qwen3:14b", "tbody tr")).textContent).toBe(`2026-11-29qwen3:14banalysis12${(90_200).toLocaleString()}${(8_100).toLocaleString()}`);
	});

	it("is told in words when nothing answers", async () => {
		await load();
		run("show-usage");

		await shown("The daemon is not running", ".modal");
	});
});

describe("health", () => {
	beforeEach(async () => {
		await running();
		run("show-health");
		await shown("1 check failed.", ".vaultd-card");
	});

	it("tells what is wrong first, and what helps", () => {
		const names = Array.from(document.querySelectorAll(".vaultd-check .vaultd-kind"), (el) => el.textContent);

		expect(names).toEqual(["author", "sync", "versions", "vectors"]);
		expect(document.querySelector(".vaultd-remedy")?.textContent).toBe("Start the model server, or set llm.base_url.");
		expect(document.querySelector(".vaultd-remedy code")?.textContent).toBe("llm.base_url");
	});

	it("lists what a look over the wiki found, and where", async () => {
		const links = await shown("Links that lead nowhere", "details");
		press(await shown("Miso", "details a"));

		expect(links.textContent).toContain("Perhaps wiki/concepts/Soy sauce.md?");
		expect((await shown("The wiki", ".vaultd-card")).textContent).toContain("Looked over 3 h ago: 3 findings.");
		expect(app.workspace.opened[0]?.path).toBe("wiki/concepts/Miso.md");
	});

	it("looks over the wiki and opens the report", async () => {
		press(await shown("Look over it now", "button"));
		await shown("The wiki was looked over.", ".notice");

		expect(app.workspace.opened[0]?.path).toBe("wiki/reviews/lint.md");
	});

	it("reads the report again when a look ends, wherever it was asked for", async () => {
		bridge.findings = [];
		bridge.happen("job", { id: 9, kind: "lint", subject: ".", state: "done" });

		await shown("nothing to look at", ".vaultd-card");
	});

	it("rebuilds after a question", async () => {
		press(await shown("Rebuild…", "button"));
		expect(bridge.calls("POST /v1/rebuild")).toHaveLength(0);
		press(await shown("Rebuild", ".modal .mod-cta"));
		await shown("Everything is rebuilt.", ".notice");

		expect(bridge.calls("POST /v1/rebuild")).toHaveLength(1);
	});

	it("waits for a daemon that does not run", async () => {
		bridge.stop();
		await shown("Its health can be looked at once it runs.", ".view-content");
	});
});

describe("what costs much", () => {
	const withModel = { model: { chat: "qwen3:14b", embedding: "builtin" } };
	const GRAINS = "raw/papers/Encyclopedia of grains.pdf";

	it("is asked for before a document is queued, and then goes on without asking again", async () => {
		bridge.status = statusOf(withModel);
		await running();
		app.workspace.active = app.vault.add(GRAINS);
		run("ingest-file");
		await shown(`about ${(640_000).toLocaleString()} tokens`, ".modal");
		expect(bridge.calls("POST /v1/ingest")).toEqual([]);
		press(await shown("Go on", ".modal button"));
		await until(() => bridge.calls("POST /v1/ingest").length, "the ingest", 2_000);
		bridge.jobs = [jobOf({ state: "waiting", subject: GRAINS })];
		bridge.happen("job", { id: 1, state: "waiting" });
		await until(() => bridge.calls("POST /v1/jobs/1/retry").length, "the person's word", 2_000);
		bridge.happen("job", { id: 1, state: "waiting" });
		await until(() => bridge.waiting, "the next look", 3_000);

		expect(bridge.calls("POST /v1/jobs/1/retry")).toHaveLength(1);
	});

	it("is not asked for where it costs little, or nothing", async () => {
		await running();
		app.workspace.active = app.vault.add(GRAINS);
		run("ingest-file");
		await shown("is queued", ".notice");

		expect(bridge.calls("POST /v1/estimate")).toEqual([]);
	});

	it("is estimated for everything that is new", async () => {
		bridge.status = statusOf(withModel);
		await running();
		run("estimate");
		const modal = await shown(`About ${(648_400).toLocaleString()} tokens in all.`, ".modal");

		expect(Array.from(modal.querySelectorAll("tr"), (row) => row.textContent)).toEqual([
			`Miso.md${(8_400).toLocaleString()}`,
			`Encyclopedia of grains.pdfwaits for your word${(640_000).toLocaleString()}`,
			"locked.pdfIt is encrypted.",
		]);
	});

	it("is said before everything held is tried again", async () => {
		bridge.busy();
		await running();
		run("retry-held");
		const modal = await shown("Try all of this again?", ".modal");
		press(await shown("Try again", ".modal button"));
		await shown("2 jobs queued.", ".notice");

		expect(modal.textContent).toContain("It would take about 640,000 tokens");
		expect(bridge.calls("POST /v1/retry")).toEqual([{ what: "held" }]);
	});

	it("is said before a model rewrites what was written offline", async () => {
		bridge.status = statusOf(withModel);
		await running();
		run("rewrite-offline");
		await shown("qwen3:14b reads every document again", ".modal");
		press(await shown("Rewrite", ".modal .mod-cta"));
		await shown("2 jobs queued.", ".notice");

		expect(bridge.calls("POST /v1/retry")).toEqual([{ what: "offline" }]);
	});

	it("needs a model", async () => {
		await running();
		run("rewrite-offline");

		await shown("No model is configured yet", ".notice");
	});
});

describe("a folder's abstract", () => {
	it("appears while the pointer rests on the folder", async () => {
		await running();
		const title = document.body.createDiv({ cls: "nav-folder-title", attr: { "data-path": "wiki/concepts" } });
		title.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));

		await shown("Ideas of fermenting", ".tooltip");
	});
});

describe("the settings", () => {
	it("are the same in the old tab and in the new definitions", async () => {
		await load();
		const [tab] = plugin.tabs as unknown as { display(): void; containerEl: HTMLElement; getSettingDefinitions(): { name: string }[] }[];
		tab?.display();
		const drawn = Array.from(tab?.containerEl.querySelectorAll(".setting-item-name") ?? [], (el) => el.textContent);

		expect(drawn).toEqual(tab?.getSettingDefinitions().map((each) => each.name));
	});

	it("hide the status bar", async () => {
		await load();
		const [tab] = plugin.tabs;
		tab?.display();
		press(tab?.containerEl.querySelectorAll('[role="switch"]')[0]);

		expect(plugin.statusBar.style.display).toBe("none");
		expect(plugin.saved).toMatchObject({ statusBar: false });
	});
});

describe("a daemon that goes and comes back 20 times with every view open", () => {
	it("is a normal state: no error, no notice", async () => {
		const failures: unknown[] = [];
		const note = (error: unknown): void => void failures.push(error);
		process.on("unhandledRejection", note);
		await running();
		for (const id of ["show-related", "show-reviews", "show-activity"]) run(id);
		for (let round = 0; round < 20; round += 1) {
			bridge.stop();
			await shown("not running", ".status-bar-item");
			bridge.start();
			await until(() => {
				document.querySelector<HTMLElement>('[data-key="look"]')?.click();
				return document.querySelector(".status-bar-item")?.textContent === "vaultd: up to date";
			}, "the daemon to be found", 3_000);
		}
		process.off("unhandledRejection", note);

		expect(failures).toEqual([]);
		expect(Notice.shown).toEqual([]);
	}, 60_000);
});
