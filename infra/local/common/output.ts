/** Tells the person at the terminal what went wrong behind an answer; the answer itself says nothing of it. */
export type ReportError = (what: string, error: unknown) => void;

/** How the runtime speaks to that person. */
export type RuntimeOutput = { print(line: string): void; reportError: ReportError; logRequest: WriteAccessLog };

/** Takes the line about a request. */
export type WriteAccessLog = (line: string) => void;
