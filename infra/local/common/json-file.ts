import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type * as z from 'zod/mini';
import { tryParseJson } from '../../common/parse-json.ts';
import { readTextIfExists } from './read-text.ts';

/** A value that is in its file when `write` returns, so that it survives a restart and a kill. */
export type PersistedValue<T> = { read(): T; write(value: T): void };

/** Opens a value kept in a file. @param empty what it is before the first `write`, and where the file makes no sense */
export function openJsonFile<T>(file: string, schema: z.ZodMiniType<T>, empty: T): PersistedValue<T> {
  mkdirSync(dirname(file), { recursive: true });
  const { data } = schema.safeParse(tryParseJson(readTextIfExists(file)));
  let kept = data ?? empty;
  return {
    read: () => kept,
    write: (value) => {
      // Whole or not at all.
      writeFileSync(`${file}.new`, JSON.stringify(value));
      renameSync(`${file}.new`, file);
      kept = value;
    },
  };
}
