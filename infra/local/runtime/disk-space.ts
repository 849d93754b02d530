import { statfsSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import { UserError, writeFailureOf } from '../../common/user-error.ts';

/** Disk space that a first start needs for its data and its logs. */
const FREE_BYTES_MIN = 32 * 1024 * 1024;

/** What to do if the state folder cannot be written, by error code. */
const ADVICE: Record<string, string> = {
  ENOSPC: 'Free some space, or choose a folder on another disk with --state.',
  EDQUOT: 'Free some space, or choose a folder on another disk with --state.',
  EROFS: 'Choose another folder with --state.',
  EACCES: 'Change its permissions, or choose another folder with --state.',
  EPERM: 'Change its permissions, or choose another folder with --state.',
  ENOTDIR: 'Choose another folder with --state.',
  EEXIST: 'Choose another folder with --state.',
};

/** Returns the free bytes of a folder's disk. Returns undefined if they cannot be determined. */
function readFreeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/** Returns a message if a folder's disk has too little free space to run; undefined otherwise. */
export function diskFullMessage(folder: string, freeBytes = readFreeBytes(folder)): string | undefined {
  if (freeBytes === undefined || freeBytes >= FREE_BYTES_MIN) return undefined;
  const [free, needed] = [freeBytes, FREE_BYTES_MIN].map((bytes) => Math.floor(bytes / 1024 / 1024));
  return (
    `The disk of ${folder} has too little space: ${free} MB are free, ${needed} MB are needed. ` +
    'Free some space, or choose a folder on another disk with --state.'
  );
}

/**
 * Adds advice to an error that occurred when the state folder was created or written. If there is no advice for the
 * error, returns the error unchanged.
 */
export function toStateFolderError(error: unknown, folder: string): unknown {
  const { code, reason } = writeFailureOf(error) ?? {};
  const advice = code === undefined ? undefined : ADVICE[code];
  if (advice === undefined) return error;
  return new UserError(`The state folder ${folder} cannot be written: ${reason}. ${advice}`, { cause: error });
}

/**
 * Turns an error of `npm start` into an error with advice if the state folder or its disk is the cause. Returns any
 * other error unchanged. If the disk is full, every error except a UserError and a failed write in the folder becomes
 * the error of a full disk, because the errors of the embedded stores don't name this cause.
 */
export function toStartError(error: unknown, folder: string, freeBytes = readFreeBytes(folder)): unknown {
  if (error instanceof UserError) return error;
  if (concernsFolder(error, folder)) return toStateFolderError(error, folder);
  const diskFull = diskFullMessage(folder, freeBytes);
  return diskFull === undefined ? error : new UserError(diskFull, { cause: error });
}

/**
 * Whether the error is a failed write in the folder. If a write to an open file fails, the error has no path. Such an
 * error counts if its code says that a disk or a disk quota is full.
 */
function concernsFolder(error: unknown, folder: string): boolean {
  const failure = writeFailureOf(error);
  if (failure === undefined) return false;
  if (failure.path === undefined) return failure.code === 'ENOSPC' || failure.code === 'EDQUOT';
  const fromFolder = relative(folder, failure.path);
  return !isAbsolute(fromFolder) && fromFolder.split(/[\\/]/)[0] !== '..';
}
