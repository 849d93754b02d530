/** A failure that the person at the terminal can mend: its message is one sentence that says how, and no stack is shown. */
export class FriendlyError extends Error {
  override readonly name = 'FriendlyError';
}

/** The code of a system error, for example `EADDRINUSE`. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
