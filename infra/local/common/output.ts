/** Reports an error at the terminal. The HTTP response says nothing about it. */
export type ReportError = (what: string, error: unknown) => void;

/** Writes one line about a request. */
export type WriteAccessLog = (line: string) => void;

/** Output for the person at the terminal, and the access log. */
export type RuntimeOutput = { print(line: string): void; reportError: ReportError; writeAccessLog: WriteAccessLog };
