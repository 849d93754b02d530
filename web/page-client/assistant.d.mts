/** The published types of the page client's assistant part. The build copies this file. */
import type { Funnel } from './funnel.d.mts';

export type ReplyOptions = {
  /** 1 to 4,000 characters. */
  prompt: string;
  /** Aborts the reply. After the abort, `onText` is not called again. */
  signal?: AbortSignal | undefined;
  /** Called with each piece of the text, in its order. Show it as plain text. */
  onText: (text: string) => void;
};

export type ReplyOutcome =
  | { status: 'complete' }
  /**
   * The text is incomplete: the connection was lost, the model failed or reached its token limit, or a filter stopped
   * the text.
   */
  | { status: 'cut-off'; reason: 'connection' | 'model' | 'length' | 'content-filter' | 'other' }
  | { status: 'aborted' }
  /** The service responded with an error and without text. `retryAfterMs` is 0 if the response has no `Retry-After`. */
  | { status: 'rejected'; code: string; message: string; retryAfterMs: number }
  /** The last attempt got neither text nor an error response of the service. */
  | { status: 'unreachable' };

/**
 * Streams the reply of the funnel's AI block to a prompt. Makes at most three attempts. Retries only before the first
 * piece of text: after network errors, unreadable responses, failures of the model, 429, and statuses above 500. Does
 * not retry if `Retry-After` is more than 10 seconds.
 */
export declare function streamReply(funnel: Funnel, options: ReplyOptions): Promise<ReplyOutcome>;
