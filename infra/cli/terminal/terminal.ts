import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { UserError } from '../../common/user-error.ts';
import { handleInterrupts, type OnInterrupt } from './interrupts.ts';

export type Terminal = {
  /** Width of the terminal; undefined when stdout is a file or a pipe. */
  columns: number | undefined;
  /**
   * Writes to stdout. Resolves when the stream has written the text, so that a slow reader slows down the command.
   *
   * @throws BrokenPipeError if the reader has closed the pipe
   */
  write(text: string): Promise<void>;
  /** Writes a line to stderr. */
  note(line: string): void;
  /** Reads a line from the user; absent if stdin is not a terminal. */
  ask?: ((question: string) => Promise<string>) | undefined;
  /** Registers a clean-up that runs on Ctrl-C. Absent if Ctrl-C ends the command without a clean-up. */
  onInterrupt?: OnInterrupt;
};

/** The reader has closed the pipe, as `head` does. This is not a failure of the command. */
export class BrokenPipeError extends Error {
  override readonly name = 'BrokenPipeError';
}

/** Creates the terminal of a command that cleans up when Ctrl-C interrupts it. */
export function createInterruptibleTerminal(process: NodeJS.Process): Terminal {
  const terminal = createTerminal(process);
  return { ...terminal, onInterrupt: handleInterrupts(process, terminal.note) };
}

type Streams = {
  stdin?: Readable & { isTTY?: boolean };
  stdout: Writable & { columns?: number; isTTY?: boolean };
  stderr: Writable;
};

/** Minimum width of the output. A narrower terminal breaks the lines itself. */
const COLUMNS_MIN = 80;

export function createTerminal({ stdin, stdout, stderr }: Streams): Terminal {
  // Without these listeners, an error would end the process. `write` passes errors of stdout to its caller.
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
  // While readline waits for a line, it receives Ctrl-C instead of the process. Therefore pass the signal on.
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

/** If `yes` is false, asks the user at the terminal. @throws UserError if the user does not agree or cannot be asked */
export async function confirm(
  { ask }: Pick<Terminal, 'ask'>,
  question: string,
  yes: boolean | undefined,
): Promise<void> {
  if (yes) return;
  if (ask === undefined) {
    throw new UserError(`${question} stdin is not a terminal: give --yes to confirm. ${NOTHING_CHANGED}`);
  }
  if (!/^y(es)?$/i.test((await ask(`${question} [y/N] `)).trim())) throw new UserError(NOTHING_CHANGED);
}
