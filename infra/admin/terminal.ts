import type { Writable } from 'node:stream';

/** Where a command's words go. */
export type Terminal = {
  /** The width that a person reads at; undefined: a file or a program reads. */
  columns: number | undefined;
  /** Resolves when the reader has taken it, so that a slow reader slows the command. @throws ReaderGone */
  write(text: string): Promise<void>;
  /** A line for the person, apart from what the command puts out. */
  note(line: string): void;
};

/** Whoever read has seen enough, as `head` has: no failure. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

type Streams = { stdout: Writable & { columns?: number; isTTY?: boolean }; stderr: Writable };

/** In a narrower one, the terminal itself breaks the lines. */
const COLUMNS_MIN = 80;

export function terminalOf({ stdout, stderr }: Streams): Terminal {
  // Failures reach whoever writes, by the write's own callback.
  stdout.on('error', () => undefined);
  stderr.on('error', () => undefined);
  return {
    columns: stdout.isTTY ? Math.max(COLUMNS_MIN, stdout.columns ?? COLUMNS_MIN) : undefined,
    write: (text) => written(stdout, text),
    note: (line) => void stderr.write(`${line}\n`),
  };
}

function written(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (!error) resolve();
      else reject('code' in error && error.code === 'EPIPE' ? new ReaderGone() : error);
    });
  });
}
