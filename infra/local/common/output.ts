/** Reports an error at the terminal, with its details in the log. HTTP responses contain no details of the error. */
export type ReportError = (what: string, error: unknown) => void;

export type WriteAccessLog = (line: string) => void;

/** Output for the person at the terminal, and the access log. */
export type RuntimeOutput = { print(line: string): void; reportError: ReportError; writeAccessLog: WriteAccessLog };
