import { statfsSync } from 'node:fs';
import { UserError, writeFailureOf } from '../friendly-error.ts';

/** What a first start writes, with room for its logs. */
const FREE_BYTES_MIN = 32 * 1024 * 1024;

/** What to do where the state can not be written, by the code of the failure. */
const ADVICE: Record<string, string> = {
  ENOSPC: 'Free some space, or name a folder on another disk with --state.',
  EDQUOT: 'Free some space, or name a folder on another disk with --state.',
  EROFS: 'Name a folder elsewhere with --state.',
  EACCES: 'Change its permissions, or name another folder with --state.',
  EPERM: 'Change its permissions, or name another folder with --state.',
  ENOTDIR: 'Name another folder with --state.',
  EEXIST: 'Name another folder with --state.',
};

/** What free space a folder's disk has, in bytes; undefined: that can not be found out. */
function freeBytesOf(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/** One sentence when a folder's disk has too little space left to run on. */
export function diskFullMessage(folder: string, freeBytes = freeBytesOf(folder)): string | undefined {
  if (freeBytes === undefined || freeBytes >= FREE_BYTES_MIN) return undefined;
  const [free, needed] = [freeBytes, FREE_BYTES_MIN].map((bytes) => Math.floor(bytes / 1024 / 1024));
  return `The disk of ${folder} is full: ${free} MB are free, and ${needed} MB are needed. Free some space, or name a folder on another disk with --state.`;
}

/**
 * The sentence for a failure of `npm start` that comes from the disk its state is on; any other error as it is. The
 * embedded stores do not say why they fail on a full disk, so a failure there counts as one of the disk.
 */
export function toStartError(error: unknown, folder: string, freeBytes = freeBytesOf(folder)): unknown {
  if (error instanceof UserError) return error;
  const { code, reason } = writeFailureOf(error) ?? {};
  const advice = code === undefined ? undefined : ADVICE[code];
  if (advice !== undefined)
    return new UserError(`The state folder ${folder} can not be written: ${reason}. ${advice}`, { cause: error });
  const full = diskFullMessage(folder, freeBytes);
  return full === undefined ? error : new UserError(full, { cause: error });
}
