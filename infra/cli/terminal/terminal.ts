import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { UserError } from '../../common/user-error.ts';
import { handleInterrupts, type OnInterrupt } from './interrupts.ts';

/** Input and output of a command. */
export type Terminal = {
  /** Width of the terminal; undefined when stdout is a file or a pipe. */
  columns: number | undefined;
  /**
   * Resolves when the reader has taken it, so that a slow reader slows the command.
   *
   * @throws BrokenPipeError when the reader closed the pipe
   */
  write(text: string): Promise<void>;
  /** Writes a line to stderr. */
  note(line: string): void;
  /** Reads a line from the user; absent when stdin is no terminal. */
  ask?: ((question: string) => Promise<string>) | undefined;
  /** Registers a clean-up for interrupts. Absent: nothing interrupts the command. */
  onInterrupt?: OnInterrupt;
};

/** The reader closed the pipe, as `head` does: no failure. */
export class BrokenPipeError extends Error {
  override readonly name = 'BrokenPipeError';
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
  // The write's own callback passes errors to the caller.
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

export const NOTHING_CHANGED = 'Nothing was changed.';

/** @throws UserError unless the user confirms, on the command line (`yes`) or at the terminal */
export async function confirm(
  { ask }: Pick<Terminal, 'ask'>,
  question: string,
  yes: boolean | undefined,
): Promise<void> {
  if (yes) return;
  if (ask === undefined) {
    throw new UserError(`${question} This command can't ask here: give --yes to continue. ${NOTHING_CHANGED}`);
  }
  if (!/^y(es)?$/i.test((await ask(`${question} [y/N] `)).trim())) throw new UserError(NOTHING_CHANGED);
}
