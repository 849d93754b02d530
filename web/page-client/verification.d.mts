/** The published types of the page client's verification part. The build copies this file. */
import type { Funnel } from './funnel.d.mts';

export type Channel = 'email' | 'sms';

export type SentCode = {
  channel: Channel;
  /** The destination with most characters hidden, for example `k***@e***.com`. */
  maskedDestination: string;
  /** The channels that the visitor can choose from. */
  availableChannels: Channel[];
  /** When another code can be sent to this destination, in milliseconds since 1970. */
  resendAtMs: number;
};

/** The outcome if sending or checking a code failed. */
export type VerificationFailure =
  /** 429: too many requests, or too many wrong codes. A code may be on its way already. */
  | { status: 'waiting'; retryAtMs: number }
  /** There is nothing to verify: no lead, no contact field with a value, or the lead's handle has expired. */
  | { status: 'unavailable' }
  /** The service responded with 5xx, for example because the message was not accepted for delivery. */
  | { status: 'failed' }
  /** The service did not respond to the last attempt. */
  | { status: 'unreachable' };

export type SendOutcome = ({ status: 'sent' } & SentCode) | VerificationFailure;

export type CheckOutcome =
  | { status: 'verified'; contactField: string }
  | { status: 'incorrect' }
  | { status: 'expired' }
  | VerificationFailure;

export type VerificationState = {
  /** The last code, also after a reload, as long as it is valid and not used. */
  sent: SentCode | undefined;
  isSending: boolean;
  isChecking: boolean;
  /** Seconds until another code can be sent through the same channel as the last code; 0 if a code can be sent now. */
  resendSeconds: number;
  /** Seconds until the next check of a code is allowed; 0 if a code can be checked now. */
  checkSeconds: number;
};

export type VerificationOptions = {
  /** Called after each change of the state, and once per second while `resendSeconds` or `checkSeconds` is above 0. */
  onChange?: ((state: VerificationState) => void) | undefined;
};

export type Verification = {
  /** The state of the funnel's current lead. */
  state(): Promise<VerificationState>;
  /**
   * Sends a code. If the previous call has the same channel and is still in progress, both calls send one code and get
   * the same outcome. Therefore, a double click sends one code.
   *
   * @param channel one of `availableChannels`. Default: e-mail if available, else SMS
   */
  send(channel?: Channel): Promise<SendOutcome>;
  /**
   * Checks a code. After a 429, sends no request until the wait is over. If the text does not contain exactly six
   * digits, the outcome is `incorrect`, without a request.
   */
  check(code: string): Promise<CheckOutcome>;
  /** Ends the calls of `onChange`. */
  close(): void;
};

export declare function createVerification(funnel: Funnel, options?: VerificationOptions): Verification;

/**
 * Prepares an input for a code: browsers offer the code of a received message, phones show digits, and everything but
 * digits is removed from typed and pasted text.
 *
 * @param onComplete called with six digits
 * @returns a function that unbinds the input
 */
export declare function bindCodeInput(input: HTMLInputElement, onComplete: (code: string) => void): () => void;
