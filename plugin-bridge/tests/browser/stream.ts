/** Streams in a page: the server beside it opens them, as Node's client does inside Obsidian. */

import type { OpenStream } from "../../src/client";

export const openStream: OpenStream = async ({ url, headers, body, signal }) => {
	const answer = await fetch("/stream", { method: "POST", body: JSON.stringify({ url, headers, body }), signal });
	return { status: Number(answer.headers.get("x-status")), pieces: piecesOf(answer.body) };
};

async function* piecesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
	const reader = body?.pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>).getReader();
	for (;;) {
		const piece = await reader?.read();
		if (piece === undefined || piece.done) return;
		yield piece.value;
	}
}
