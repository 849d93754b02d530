import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { handleInterrupts, type OnInterrupt } from './interrupts.ts';

/** Where a command's words go. */
export type Terminal = {
  /** The width that a person reads at; undefined: a file or a program reads. */
  columns: number | undefined;
  /** Resolves when the reader has taken it, so that a slow reader slows the command. @throws ReaderGone */
  write(text: string): Promise<void>;
  /** A line for the person, apart from what the command puts out. */
  note(line: string): void;
  /** Lets the person answer in a line; absent: nobody sits there. */
  ask?: ((question: string) => Promise<string>) | undefined;
  /** Absent: nothing interrupts the command. */
  onInterrupt?: OnInterrupt;
};

/** Whoever read has seen enough, as `head` has: no failure. */
export class BrokenPipeError extends Error {
  override readonly name = 'ReaderGone';
}

/** The terminal of a command that Ctrl-C interrupts. */
export function createInterruptibleTerminal(process: NodeJS.Process): Terminal {
  const terminal = createTerminal(process);
  return { ...terminal, onInterrupt: handleInterrupts(process, terminal.note) };
}

type Streams = {
  stdin?: Readable & { isTTY?: boolean };
  stdout: Writable & { columns?: number; isTTY?: boolean };
  stderr: Writable;
};

/** In a narrower one, the terminal itself breaks the lines. */
const COLUMNS_MIN = 80;

export function createTerminal({ stdin, stdout, stderr }: Streams): Terminal {
  // Failures reach whoever writes, by the write's own callback.
  stdout.on('error', () => undefined);
  stderr.on('error', () => undefined);
  return {
    columns: stdout.isTTY ? Math.max(COLUMNS_MIN, stdout.columns ?? COLUMNS_MIN) : undefined,
    write: (text) => written(stdout, text),
    note: (line) => void stderr.write(`${line}\n`),
    ask: stdin?.isTTY ? (question) => answerTo(question, stdin, stderr) : undefined,
  };
}

async function answerTo(question: string, input: Readable, output: Writable): Promise<string> {
  const lines = createInterface({ input, output });
  // While it reads a line, Ctrl-C reaches the reader alone.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

function written(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (!error) resolve();
      else reject('code' in error && error.code === 'EPIPE' ? new BrokenPipeError() : error);
    });
  });
}
