/** Tells the person at the terminal what went wrong behind an answer; the answer itself says nothing of it. */
export type Report = (what: string, error: unknown) => void;

/** How the runtime speaks to that person. */
export type Voice = { say(line: string): void; report: Report; logRequest: LogRequest };

/** Takes the line about a request. */
export type LogRequest = (line: string) => void;
