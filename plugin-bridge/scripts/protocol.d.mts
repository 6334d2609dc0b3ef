export function described(): unknown;
export function protocolOf(api: unknown): string;
