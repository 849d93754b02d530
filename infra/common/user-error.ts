/** An error whose cause the user of a program can correct. Programs print its message without a stack trace. */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** Returns the code of a system error, for example `EADDRINUSE`; undefined for an error without a code. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

export function notReadable(path: string, cause: unknown): UserError {
  const code = errorCode(cause);
  const reason = code === 'ENOENT' ? 'does not exist' : code === 'EISDIR' ? 'is a folder' : `cannot be read (${code})`;
  return new UserError(`${path} ${reason}.`, { cause });
}

/** Reasons why a file cannot be written, by error code. */
const WRITE_FAILURES: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  ENOSPC: 'its disk is full',
  EDQUOT: "this user's disk quota is full",
  EROFS: 'its file system is read-only',
  EACCES: 'this user has no write permission',
  EPERM: 'this user has no write permission',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'a part of its path is a file',
};

/** Describes a failed write. Returns undefined if `WRITE_FAILURES` does not contain the error's code. */
export function writeFailureOf(error: unknown): { code: string; path: string | undefined; reason: string } | undefined {
  const code = errorCode(error);
  const reason = typeof code === 'string' ? WRITE_FAILURES[code] : undefined;
  if (typeof code !== 'string' || reason === undefined) return undefined;
  const path = error instanceof Error && 'path' in error ? error.path : undefined;
  return { code, path: typeof path === 'string' ? path : undefined, reason };
}

export function notWritable(path: string, cause: unknown): UserError {
  const reason = writeFailureOf(cause)?.reason ?? `${errorCode(cause)}`;
  return new UserError(`${path} cannot be written: ${reason}.`, { cause });
}
