/** The daemon's interface, written by scripts/protocol.mjs from its own description: not edited by hand. */

/** What was found, best first. `lanes` ran; `notes` say in sentences what did not, and why. */
export interface Answer {
	query: string;
	lanes: string[];
	results: Hit[];
	notes?: string[];
}

/** A decision: one of the review's options, or "answer" with the person's own words. */
export interface AnswerReview {
	id: string;
	action: string;
	text?: string;
}

/** The source to talk about. */
export interface BeginTalk {
	path: string;
}

/** What was looked at and found; `remedy` is what to do, "" where nothing has to be done. */
export interface Check {
	name: string;
	state: "ok" | "warning" | "failed";
	text: string;
	remedy?: string;
}

/** Whether everything vaultd stands on is sound, each check with what helps. */
export interface Checks {
	checks: Check[];
}

/** What stands in a folder; `abstract` and `state` are "" where nothing describes it yet. */
export interface Child {
	path: string;
	name: string;
	kind: "folder" | "file";
	title: string;
	type: string;
	abstract: string;
	state: NodeState | "";
}

/** About what one file would take, in and out; `reason` says why it would not be taken at all. `waits`: it is more than is spent without a person's word. */
export interface Cost {
	path: string;
	tokens: number;
	reason: string;
	waits: boolean;
}

/** What one stage cost on one day with one model. */
export interface DayUsage {
	day: string;
	model: string;
	stage: string;
	calls: number;
	failed: number;
	input_tokens: number;
	output_tokens: number;
}

/** How many summaries were dropped. */
export interface Dropped {
	path: string;
	dropped: number;
}

/** The files to estimate; none named: the sources whose content was not ingested yet. */
export interface EstimateFiles {
	paths?: string[];
}

/** One thing that happened. `id` rises and never comes back; `at` is fixed-width UTC text. */
export interface Event {
	id: number;
	at: string;
	kind: string;
	payload: Record<string, unknown>;
}

/** Events after a cursor, oldest first; `cursor` goes into the next request. `reset`: events were lost, start over from the status. */
export interface Events {
	events: Event[];
	cursor: number;
	reset: boolean;
}

/** A field that does not fit. */
export interface FieldFault {
	field: string;
	message: string;
}

/** A source and where it stands. */
export interface FileStatus {
	path: string;
	state: string;
	reason: string;
	code: string;
	pages: string[];
	attempts: number;
}

/** One thing to look at. `suggestions` are paths or names that may have been meant. */
export interface Finding {
	kind: string;
	path: string;
	text: string;
	suggestions: string[];
}

/** A folder's abstract (L0), overview (L1) and children; "" where there is no text yet. */
export interface FolderView {
	path: string;
	abstract: string;
	overview: string;
	state: NodeState | "";
	author: string;
	child_count: number;
	categories: string[];
	children: Child[];
}

/** The source to forget; with `dry_run` nothing is changed, only told. */
export interface ForgetSource {
	path: string;
	dry_run?: boolean;
}

/** That something answers here, and which version of it; nothing of anybody's. */
export interface Health {
	name: string;
	version: string;
	protocol: number;
}

/** The versions of a page; `current` is the SHA-256 of the page as it is, null for none. */
export interface History {
	path: string;
	current: string | null;
	versions: KeptVersion[];
}

/** One result; its fields are those of the JSON answer. `id` is "p<number>" for a passage, "s:<path>" for a folder or file found by its summary. `path` is the file the text stands in; `start` and `end` are character offsets in that file, or in its page `page` (physical, from 1). `snippet` is plain text with the words found between "**" marks, which occur nowhere else in it. `via` names the lanes. `also` are other places that say what is shown: those of sources that a page cites for it, and pages that repeat it. */
export interface Hit {
	id: string;
	path: string;
	title: string;
	heading: string;
	line: number;
	start: number;
	end: number;
	page: number | null;
	score: number;
	snippet: string;
	via: string[];
	link: string;
	also?: Standing[];
}

/** A file of the vault; one outside `raw/` is copied there first. */
export interface IngestFile {
	path: string;
}

/** A job: `done` of `total` steps of `stage`; `result` is set once it is done. Over are "done" and "cancelled". Held are "waiting" (for a person's word or for tomorrow), "paused" (until the model or the disk can be used again) and "parked" (until the file changes, or a person tries again): `reason` says why, and for programs `code`. */
export interface Job {
	id: number;
	kind: JobKind;
	subject: string;
	state: JobState;
	stage: string;
	done: number;
	total: number;
	attempts: number;
	person: boolean;
	run_at: string;
	reason: string;
	code: string;
	result: Record<string, unknown>;
}

/** What a job does; its subject is named behind each. */
export type JobKind = "ingest" | "index" | "summarize" | "summarize_file" | "drop_summaries" | "write_session" | "review" | "move" | "retract" | "forget" | "undo" | "restore" | "rebuild" | "lint" | "upkeep";

/** Where a job stands. */
export type JobState = "queued" | "running" | "waiting" | "paused" | "parked" | "done" | "cancelled";

/** Jobs in the order of the queue. */
export interface Jobs {
	jobs: Job[];
}

/** An old version: `name` is what a person calls it, `at` when it was replaced (UTC text). */
export interface KeptVersion {
	version: string;
	at: string;
	size: number;
}

/** The token that opens every other route. */
export interface Key {
	token: string;
}

/** An answer in the form of the summary specification. */
export interface KnowledgeBaseAnswer {
	code: number;
	msg: string;
	data: Record<string, unknown>;
	vs_type?: string;
}

/** A file of a knowledge base, named from its folder or from the vault's root. */
export interface KnowledgeBaseFile {
	knowledge_base_name: string;
	vs_type?: string;
	embed_model?: string;
	file_description?: string;
	model_name?: string | null;
	temperature?: number;
	max_tokens?: number | null;
	file_name: string;
	allow_empty_kb?: boolean;
}

/** Passages of a knowledge base. */
export interface KnowledgeBasePassages {
	knowledge_base_name: string;
	vs_type?: string;
	embed_model?: string;
	file_description?: string;
	model_name?: string | null;
	temperature?: number;
	max_tokens?: number | null;
	doc_ids?: string[];
}

/** The same, in the form of the summary specification. */
export interface KnowledgeBaseStep {
	code: number;
	msg: string;
	total: number;
	finished: number;
	doc: string;
	vs_type?: string;
}

/** What the last look over the wiki found, by kind; `at` is "" if there was none lately. */
export interface LintReport {
	at: string;
	report: string;
	counts: Record<string, number>;
	findings: Finding[];
}

/** Which lanes may answer; hybrid includes the summaries. */
export type Mode = "hybrid" | "words" | "vectors";

/** What writes and what embeds. */
export interface Models {
	chat: string;
	embedding: string;
}

/** How good a stored summary is. */
export type NodeState = "ok" | "fallback" | "stale" | "failed";

/** What is to stand at `path`, as long as `before` stands there. */
export interface Offer {
	id: number;
	path: string;
	before: string;
	after: string;
}

/** A write of an open note, if there is one: `offer` has its old and its new text. */
export interface Offered {
	offer: Offer | null;
}

/** A folder by its path. */
export interface OneFolder {
	path?: string;
}

/** The notes open in an editor; `answered` is the offer that was acted on or declined. */
export interface OpenNotes {
	notes?: string[];
	answered?: number;
	wait?: number;
}

/** An old version of a page. */
export interface PageVersion {
	path: string;
	version: string;
	text: string;
}

/** The one-time code that `vaultd open` made. */
export interface PairWith {
	code: string;
}

/** A summary of passages, and the partial summaries it was united from. */
export interface PassagesSummary {
	summary: string;
	steps: string[];
	ids: number[];
	description: string;
}

/** What went wrong (RFC 9457). `code` is for programs, `detail` for people; the routes of the summary specification answer with the status as `code`, and with `msg`. `errors` names the fields that do not fit, `candidates` what may have been meant, `current` the hash of what is there now. */
export interface Problem {
	type: string;
	title: string;
	status: number;
	detail: string;
	code: string | number;
	msg?: string | null;
	errors?: FieldFault[] | null;
	candidates?: string[] | null;
	current?: string | null;
}

/** The root whose file summaries are made anew. */
export interface RebuildSummaries {
	description?: string;
	model?: string;
	temperature?: number;
	max_tokens?: number | null;
	root: string;
}

/** A note near in meaning to another one. */
export interface Related {
	path: string;
	title: string;
	score: number;
	link: string;
}

/** The files nearest in meaning, nearest first; `notes` say in sentences why there is none. */
export interface RelatedFiles {
	path: string;
	results: Related[];
	notes: string[];
}

/** A file whose neighbours in meaning are wanted. */
export interface RelatedTo {
	path: string;
	k?: number;
}

/** What to put back; `if_match` is the SHA-256 of the page as it was seen, null for none. */
export interface RestoreVersion {
	path: string;
	version: string;
	if_match: string | null;
}

/** What to try again: all that is "held", or what was written "offline". */
export interface RetryAll {
	what: "held" | "offline";
}

/** One question. `proposal` is what vaultd would write, for a person's page in conflict. */
export interface ReviewItem {
	id: string;
	kind: ReviewKind;
	title: string;
	text: string;
	options: string[];
	pages?: string[];
	searches?: string[];
	sources?: string[];
	proposal?: Record<string, unknown> | null;
	note?: string | null;
	state?: string;
	action?: string | null;
}

/** What a review item is about. */
export type ReviewKind = "contradiction" | "duplicate" | "missing-page" | "suggestion" | "conflict" | "parked" | "confirm";

/** Questions to the person. */
export interface Reviews {
	reviews: ReviewItem[];
}

/** A person's message in a session. */
export interface Say {
	session: string;
	text: string;
}

/** A question; "" in a filter lets everything pass. `typing`: the last word is unfinished. */
export interface SearchFor {
	query: string;
	k?: number;
	mode?: Mode;
	under?: string;
	type?: string;
	tag?: string;
	after?: string;
	before?: string;
	typing?: boolean;
}

/** A conversation about one source; `sha256` is the file it is about. */
export interface Session {
	id: string;
	path: string;
	sha256: string;
	state: string;
	turns: Turn[];
}

/** A place where something stands: a file, with its page where it has any. */
export interface Standing {
	path: string;
	title: string;
	page: number | null;
	link: string;
}

/** What is where, and why. `counts` are of sources, by state; `jobs` and `queue` of jobs that are not over, by kind and by state. */
export interface Status {
	vault: string;
	state: string;
	counts: Record<string, number>;
	files: FileStatus[];
	jobs: Record<string, number>;
	queue: Record<string, number>;
	model: Models;
	reviews_open: number;
	folders: Record<string, number>;
	usage: Usage;
	problems: Trouble[];
}

/** A file to summarise. */
export interface SummariseFile {
	description?: string;
	model?: string;
	temperature?: number;
	max_tokens?: number | null;
	path: string;
}

/** Passages to summarise, by the ids that search answers with ("p12"). */
export interface SummarisePassages {
	description?: string;
	model?: string;
	temperature?: number;
	max_tokens?: number | null;
	ids: string[];
}

/** One file of an operation on summaries: `finished` of `total` are done. `code` is 200 for a summary that an author wrote, 500 for one that failed, with why in `msg`. */
export interface SummaryStep {
	code: number;
	msg: string;
	total: number;
	finished: number;
	doc: string;
}

/** One step of a conversation. "session" comes first and names it; "piece" carries the next `text`; "pictures" says how many pictures (`count`) were extracted and described beside the analysis; "done" means that the answer is whole and stored. */
export interface TalkEvent {
	event: "session" | "piece" | "pictures" | "done";
	session: string;
	text?: string;
	count?: number;
}

/** A file found by its name; `alias` is the name that matched, "" when it is the title. */
export interface Title {
	path: string;
	title: string;
	alias: string;
	type: string;
}

/** Files whose title, alias or name begins with what was asked for, or holds it. */
export interface Titles {
	titles: Title[];
}

/** Something that is wrong now, in a sentence. */
export interface Trouble {
	code: string;
	text: string;
	since: string;
}

/** One message of a conversation. */
export interface Turn {
	role: "user" | "assistant";
	text: string;
}

/** The source whose last ingest is taken back. */
export interface UndoSource {
	path: string;
}

/** Calls to models and their tokens. */
export interface Usage {
	calls: number;
	input_tokens: number;
	output_tokens: number;
}

/** What calls cost: by day, model and stage, newest day first; `totals` since the beginning. */
export interface UsageByDay {
	days: DayUsage[];
	totals: Usage;
}

/** A knowledge base as a whole. */
export interface WholeKnowledgeBase {
	knowledge_base_name: string;
	vs_type?: string;
	embed_model?: string;
	file_description?: string;
	model_name?: string | null;
	temperature?: number;
	max_tokens?: number | null;
	allow_empty_kb?: boolean;
}

/** Every route, by method and path. */
export interface Operations {
	/** Tell that vaultd answers here. Open to everybody on this machine; holds no data. */
	"GET /health": {
		path: undefined;
		query: undefined;
		body: undefined;
		answer: Health;
	};
	/** Trade a one-time code for the token. The code works once, for two minutes. */
	"POST /v1/pair": {
		path: undefined;
		query: undefined;
		body: {
			code: string;
		};
		answer: Key;
	};
	/** Say what is where, and why. `counts` are of all files, however few are listed. */
	"GET /v1/status": {
		path: undefined;
		query: {
			files?: number;
			after?: string;
			unsettled?: boolean;
		};
		body: undefined;
		answer: Status;
	};
	/** Say what calls to models cost, by day, model and stage. */
	"GET /v1/usage": {
		path: undefined;
		query: {
			days?: number;
		};
		body: undefined;
		answer: UsageByDay;
	};
	/** List jobs in the order of the queue: in the states named, or all that are not over. */
	"GET /v1/jobs": {
		path: undefined;
		query: {
			state?: JobState[];
			kind?: JobKind[];
			limit?: number;
		};
		body: undefined;
		answer: Jobs;
	};
	/** Say how one job stands. */
	"GET /v1/jobs/{id}": {
		path: {
			id: number;
		};
		query: undefined;
		body: undefined;
		answer: Job;
	};
	/** Cancel a job that is not over; a running one stops at its next safe point. */
	"DELETE /v1/jobs/{id}": {
		path: {
			id: number;
		};
		query: undefined;
		body: undefined;
		answer: Job;
	};
	/** Queue a held or delayed job at once; what it waited for is confirmed by that. */
	"POST /v1/jobs/{id}/retry": {
		path: {
			id: number;
		};
		query: undefined;
		body: Record<string, never>;
		answer: Job;
	};
	/** Queue everything that is held at once, or have a model rewrite what was written offline. */
	"POST /v1/retry": {
		path: undefined;
		query: undefined;
		body: {
			what: "held" | "offline";
		};
		answer: Jobs;
	};
	/** Queue a file of the vault, before everything else. */
	"POST /v1/ingest": {
		path: undefined;
		query: undefined;
		body: {
			path: string;
		};
		answer: Job;
	};
	/** Return the events after a cursor, as soon as there is one. */
	"GET /v1/events": {
		path: undefined;
		query: {
			since?: number;
			wait?: number;
		};
		body: undefined;
		answer: Events;
	};
	/** Stream events: the same as by asking. Their ids are cursors; "reset": some were lost. A stream. */
	"GET /v1/events/stream": {
		path: undefined;
		query: {
			since?: number;
		};
		body: undefined;
		answer: Event;
	};
	/** Find passages of the whole vault by words and by meaning, best first. */
	"POST /v1/search": {
		path: undefined;
		query: undefined;
		body: {
			query: string;
			k?: number;
			mode?: Mode;
			under?: string;
			type?: string;
			tag?: string;
			after?: string;
			before?: string;
			typing?: boolean;
		};
		answer: Answer;
	};
	/** List the files nearest in meaning to one. */
	"POST /v1/related": {
		path: undefined;
		query: undefined;
		body: {
			path: string;
			k?: number;
		};
		answer: RelatedFiles;
	};
	/** List files whose title, alias or name begins with `q`, or holds it. */
	"GET /v1/titles": {
		path: undefined;
		query: {
			q?: string;
			k?: number;
		};
		body: undefined;
		answer: Titles;
	};
	/** Stream the analysis of a source; the pictures are extracted beside it. A stream. */
	"POST /v1/ingest/analysis": {
		path: undefined;
		query: undefined;
		body: {
			path: string;
		};
		answer: TalkEvent;
	};
	/** Return a session with everything said so far, the analysis first. */
	"GET /v1/ingest/{session}": {
		path: {
			session: string;
		};
		query: undefined;
		body: undefined;
		answer: Session;
	};
	/** Stream the answer to a message; the events are those of the analysis, without pictures. A stream. */
	"POST /v1/ingest/{session}/messages": {
		path: {
			session: string;
		};
		query: undefined;
		body: {
			text: string;
		};
		answer: TalkEvent;
	};
	/** Queue the writing of the pages, with the whole conversation as context. */
	"POST /v1/ingest/{session}/write": {
		path: {
			session: string;
		};
		query: undefined;
		body: Record<string, never>;
		answer: Job;
	};
	/** List the questions to the person, oldest first. */
	"GET /v1/reviews": {
		path: undefined;
		query: {
			state?: "open" | "answered" | "closed";
		};
		body: undefined;
		answer: Reviews;
	};
	/** Answer a question: `action` is one of its options, or "answer" with `text`. */
	"POST /v1/reviews/{id}": {
		path: {
			id: string;
		};
		query: undefined;
		body: {
			action: string;
			text?: string;
		};
		answer: Job;
	};
	/** List the versions of a page that vaultd replaced, newest first. */
	"GET /v1/pages/history": {
		path: undefined;
		query: {
			path: string;
		};
		body: undefined;
		answer: History;
	};
	/** Return the text of an old version. */
	"GET /v1/pages/version": {
		path: undefined;
		query: {
			path: string;
			version: string;
		};
		body: undefined;
		answer: PageVersion;
	};
	/** Put an old version back, if the page still is what `if_match` says. */
	"POST /v1/pages/restore": {
		path: undefined;
		query: undefined;
		body: {
			path: string;
			version: string;
			if_match: string | null;
		};
		answer: Job;
	};
	/** Wait for a write of a note that is open in an editor, to be written there. */
	"POST /v1/pages/open": {
		path: undefined;
		query: undefined;
		body: {
			notes?: string[];
			answered?: number;
			wait?: number;
		};
		answer: Offered;
	};
	/** Remove what a source contributed, or only tell what that would be. */
	"POST /v1/sources/forget": {
		path: undefined;
		query: undefined;
		body: {
			path: string;
			dry_run?: boolean;
		};
		answer: Job;
	};
	/** Take back the last ingest of a source. */
	"POST /v1/sources/undo": {
		path: undefined;
		query: undefined;
		body: {
			path: string;
		};
		answer: Job;
	};
	/** Look over the wiki: broken links, orphans, unlisted and stale pages, duplicates. */
	"POST /v1/lint": {
		path: undefined;
		query: undefined;
		body: Record<string, never>;
		answer: Job;
	};
	/** Return what the last look over the wiki found; nothing is looked at anew. */
	"GET /v1/lint": {
		path: undefined;
		query: undefined;
		body: undefined;
		answer: LintReport;
	};
	/** Make records, indexes and listings anew from the files; no model is asked. */
	"POST /v1/rebuild": {
		path: undefined;
		query: undefined;
		body: Record<string, never>;
		answer: Job;
	};
	/** Check program, model, embedder, vault and database; say what helps. */
	"GET /v1/doctor": {
		path: undefined;
		query: undefined;
		body: undefined;
		answer: Checks;
	};
	/** Say how many tokens files would take with a model; streams one after the other. A stream. */
	"POST /v1/estimate": {
		path: undefined;
		query: undefined;
		body: {
			paths?: string[];
		};
		answer: Cost;
	};
	/** Return a folder's abstract and overview, and what stands in it, folders first. */
	"GET /v1/folders": {
		path: undefined;
		query: {
			path?: string;
			children?: number;
		};
		body: undefined;
		answer: FolderView;
	};
	/** Describe a folder anew, with all below it; streams the job until it is over or held. A stream. */
	"POST /v1/folders/refresh": {
		path: undefined;
		query: undefined;
		body: {
			path?: string;
		};
		answer: Job;
	};
	/** Make or refresh the summary of one file; streams one event. A stream. */
	"POST /v1/summaries/file": {
		path: undefined;
		query: undefined;
		body: {
			description?: string;
			model?: string;
			temperature?: number;
			max_tokens?: number | null;
			path: string;
		};
		answer: SummaryStep;
	};
	/** Summarise named passages; nothing is stored. */
	"POST /v1/summaries/passages": {
		path: undefined;
		query: undefined;
		body: {
			description?: string;
			model?: string;
			temperature?: number;
			max_tokens?: number | null;
			ids: string[];
		};
		answer: PassagesSummary;
	};
	/** Make all file summaries of a root anew; streams an event for each file. A stream. */
	"POST /v1/summaries/rebuild": {
		path: undefined;
		query: undefined;
		body: {
			description?: string;
			model?: string;
			temperature?: number;
			max_tokens?: number | null;
			root: string;
		};
		answer: SummaryStep;
	};
	/** Drop the summaries of a folder or file, and of all below; none is made until asked for. */
	"DELETE /v1/summaries": {
		path: undefined;
		query: {
			path: string;
		};
		body: undefined;
		answer: Dropped;
	};
	/** Make or refresh the summary of one file of a knowledge base; streams one event. A stream. */
	"POST /kb_summary_api/summary_file_to_vector_store": {
		path: undefined;
		query: undefined;
		body: {
			knowledge_base_name: string;
			vs_type?: string;
			embed_model?: string;
			file_description?: string;
			model_name?: string | null;
			temperature?: number;
			max_tokens?: number | null;
			file_name: string;
			allow_empty_kb?: boolean;
		};
		answer: KnowledgeBaseStep;
	};
	/** Summarise the passages with these ids; nothing is stored. */
	"POST /kb_summary_api/summary_doc_ids_to_vector_store": {
		path: undefined;
		query: undefined;
		body: {
			knowledge_base_name: string;
			vs_type?: string;
			embed_model?: string;
			file_description?: string;
			model_name?: string | null;
			temperature?: number;
			max_tokens?: number | null;
			doc_ids?: string[];
		};
		answer: KnowledgeBaseAnswer;
	};
	/** Make all file summaries of a knowledge base anew; streams an event for each file. A stream. */
	"POST /kb_summary_api/recreate_summary_vector_store": {
		path: undefined;
		query: undefined;
		body: {
			knowledge_base_name: string;
			vs_type?: string;
			embed_model?: string;
			file_description?: string;
			model_name?: string | null;
			temperature?: number;
			max_tokens?: number | null;
			allow_empty_kb?: boolean;
		};
		answer: KnowledgeBaseStep;
	};
}

export type Operation = keyof Operations;
