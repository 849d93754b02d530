import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type * as z from 'zod/mini';
import { fileText } from './file-text.ts';
import { parsedJson } from './parsed-json.ts';

/** A value that is in its file when `write` returns, so that it survives a restart and a kill. */
export type Kept<T> = { read(): T; write(value: T): void };

/** Opens a value kept in a file. @param empty what it is before the first `write`, and where the file makes no sense */
export function keptJson<T>(file: string, schema: z.ZodMiniType<T>, empty: T): Kept<T> {
  mkdirSync(dirname(file), { recursive: true });
  const { data } = schema.safeParse(parsedJson(fileText(file)));
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
