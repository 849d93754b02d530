import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type * as z from 'zod/mini';
import { tryParseJson } from '../../common/parse-json.ts';
import { errorCode } from '../../common/user-error.ts';

/** A value in a file. `write` returns after the file is complete, so the value survives a restart and a kill. */
export type PersistedValue<T> = { read(): T; write(value: T): void };

/** Opens a persisted value. @param empty initial value if the file is missing or not valid */
export function openJsonFile<T>(file: string, schema: z.ZodMiniType<T>, empty: T): PersistedValue<T> {
  mkdirSync(dirname(file), { recursive: true });
  const { data } = schema.safeParse(tryParseJson(readTextIfExists(file)));
  let current = data ?? empty;
  return {
    read: () => current,
    write: (value) => {
      // Write a new file and rename it, so that a kill never leaves half of a file.
      writeFileSync(`${file}.new`, JSON.stringify(value));
      renameSync(`${file}.new`, file);
      current = value;
    },
  };
}

/** Returns an empty string if the file does not exist. */
export function readTextIfExists(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}
