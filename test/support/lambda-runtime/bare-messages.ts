/** A message from the parent process, with an event for the function. */
export type Invocation = { event: unknown; requestId: string; functionArn: string; deadlineMs: number };

export type Outcome =
  | { kind: 'answered'; bytes: Buffer; contentType: string; streamed: boolean }
  /** `afterBytes`: number of bytes of the response that were written before the failure. */
  | { kind: 'failed'; errorType: string; errorMessage: string; afterBytes?: number };

/** An attempted connection. `refused`: the connection was refused, as if there were no network. */
export type Connection = { to: string; refused: boolean };

/** A message to the parent process. */
export type BareMessage =
  | { what: 'ready'; initMs: number }
  | { what: 'init-failed'; errorType: string; errorMessage: string }
  | ({ what: 'connection'; phase: 'init' | 'invocation' } & Connection)
  | { what: 'outcome'; outcome: Outcome };
