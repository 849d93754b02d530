/** A failure that the person at the terminal can mend: its message is one sentence that says how, and no stack is shown. */
export class FriendlyError extends Error {
  override readonly name = 'FriendlyError';
}

/** The code of a system error, for example `EADDRINUSE`. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** That a file or a folder can not be read, and why where that is plain. */
export function notReadable(path: string, cause: unknown): FriendlyError {
  const code = errorCode(cause);
  const why = code === 'ENOENT' ? 'does not exist' : code === 'EISDIR' ? 'is a folder' : `can not be read (${code})`;
  return new FriendlyError(`${path} ${why}.`, { cause });
}

/** The same of one that can not be written. */
export function notWritable(path: string, cause: unknown): FriendlyError {
  const code = errorCode(cause);
  const why = code === 'ENOENT' ? ': its folder does not exist' : ` (${code})`;
  return new FriendlyError(`${path} can not be written${why}.`, { cause });
}
