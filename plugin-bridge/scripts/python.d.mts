export function pythonOf(): string;
