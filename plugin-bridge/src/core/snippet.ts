/** The marked words of a snippet. */

export interface Piece {
	readonly text: string;
	readonly marked: boolean;
}

/** Split at the "**" marks, which the daemon puts around words found and nowhere else. */
export function piecesOf(snippet: string): Piece[] {
	return snippet
		.split("**")
		.map((text, place) => ({ text, marked: place % 2 === 1 }))
		.filter((piece) => piece.text !== "");
}
