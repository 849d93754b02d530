/** A failure that the person at the terminal can mend: its message is one sentence that says how, and no stack is shown. */
export class UserError extends Error {
  override readonly name = 'FriendlyError';
}

/** The code of a system error, for example `EADDRINUSE`. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** That a file or a folder can not be read, and why where that is plain. */
export function notReadable(path: string, cause: unknown): UserError {
  const code = errorCode(cause);
  const why = code === 'ENOENT' ? 'does not exist' : code === 'EISDIR' ? 'is a folder' : `can not be read (${code})`;
  return new UserError(`${path} ${why}.`, { cause });
}

/** Why a file can not be written, by the code of the failure. */
const WRITE_FAILURES: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  ENOSPC: 'its disk is full',
  EDQUOT: "its disk is full for this user's quota",
  EROFS: 'its file system is read-only',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'a part of its path is a file',
};

/** What a failed write says of itself; undefined: it is no failure of the file system that has words. */
export function writeFailureOf(error: unknown): { code: string; path: string | undefined; reason: string } | undefined {
  const code = errorCode(error);
  const reason = typeof code === 'string' ? WRITE_FAILURES[code] : undefined;
  if (typeof code !== 'string' || reason === undefined) return undefined;
  const path = error instanceof Error && 'path' in error ? error.path : undefined;
  return { code, path: typeof path === 'string' ? path : undefined, reason };
}

/** That a file or a folder can not be written, and why. */
export function notWritable(path: string, cause: unknown): UserError {
  const why = writeFailureOf(cause)?.reason ?? `${errorCode(cause)}`;
  return new UserError(`${path} can not be written: ${why}.`, { cause });
}
