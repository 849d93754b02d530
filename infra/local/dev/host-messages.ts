import type { FunctionSettings } from '../lambda/context.ts';
import type { Declarations } from './declarations.ts';

/** Id of the bundle with the declarations of all functions. */
export const DECLARATIONS = 'declarations';

export type HostSettings = {
  /** Path of the policy file. */
  policies: string;
};

export type Invocation = {
  settings: FunctionSettings;
  event: unknown;
  requestId: string;
};

/** Commands to the worker thread of a host. `call` is the number of an invocation. */
export type HostCommand =
  /** Announces the URLs of all bundles, and loads some of them. */
  | { kind: 'open'; urls: Readonly<Record<string, string>>; load: readonly string[] }
  | { kind: 'describe' }
  | { kind: 'invoke'; call: number; invocation: Invocation }
  /** The most recent chunk of a streamed response has been sent, so the next chunk may follow. */
  | { kind: 'chunkSent'; call: number }
  /** The client of a streamed response has disconnected. */
  | { kind: 'disconnected'; call: number };

/** Messages from the worker thread of a host. Errors are texts with a stack trace. */
export type HostMessage =
  | { kind: 'opened'; error?: string }
  | { kind: 'described'; declarations: Declarations }
  | { kind: 'notDescribed'; error: string }
  | { kind: 'chunk'; call: number; bytes: Uint8Array }
  /** The function has ended its streamed response. */
  | { kind: 'ended'; call: number }
  | { kind: 'result'; call: number; result: unknown }
  | { kind: 'error'; call: number; error: string }
  | { kind: 'report'; what: string; error: string };
