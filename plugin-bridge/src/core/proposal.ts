/** What the daemon would write over a page that a person edited. */

import type { ReviewItem } from "../protocol";

export interface Proposal {
	readonly path: string;
	readonly text: string;
}

/** Return the proposal of a review, null when it has none. */
export function proposalOf(review: Pick<ReviewItem, "proposal">): Proposal | null {
	const { path, text } = review.proposal ?? {};
	return typeof path === "string" && typeof text === "string" ? { path, text } : null;
}
