/** The published types of the page client. The build copies this file. */

export type ConsentState = 'pending' | 'granted' | 'denied';

export type FunnelOptions = {
  funnelId: string;
  /** Origin of the API, for example `https://api.example.com`. */
  apiUrl: string;
  /**
   * Path of the ingest operation; `{id}` is replaced by the funnel id. Default: `/api/v2/public/funnel/{id}/e`. Set it
   * if the deployment sets another path.
   */
  ingestPath?: string | undefined;
  /**
   * Consent until `consent.grant()` or `consent.deny()` is called. Default: `pending`. After an earlier denial on this
   * device, or with Global Privacy Control, consent is `denied` instead.
   */
  consent?: ConsentState | undefined;
  /**
   * Sends a random id of this device with each event, as `visitor_id` of the payload. The id is created after a grant,
   * and deleted by `consent.deny()` and `reset()`.
   */
  visitorId?: boolean | undefined;
  /**
   * Tracks `step_view` with the path of the page as step id: at the start, and for each navigation of a single-page
   * application to another path. Query and fragment are not sent.
   */
  autoSteps?: boolean | undefined;
  /** Writes a console warning when an event is not valid, and when the API refuses events or a submit. */
  debug?: boolean | undefined;
};

export type EventFields = {
  stepId?: string | undefined;
  stepIndex?: number | undefined;
  version?: number | undefined;
  payload?: Record<string, unknown> | undefined;
};

export type Submit = {
  /** Field values. */
  data: Record<string, unknown>;
  step?: string | undefined;
  /** Id of the funnel version for which the page was built. */
  version?: string | undefined;
  /** The record of a consent platform. Default: the record of `consent.describe()`. */
  cookieConsent?: CookieConsent | undefined;
};

/** The record of a consent platform, which a submit stores with the lead, at most 32 KiB as JSON. */
export type CookieConsent = {
  /** Name of the platform, for example `usercentrics`. */
  cmp: string;
  [member: string]: unknown;
};

/** Authorizes this page to update the lead. */
export type LeadHandle = { id: string; update_token: string };

export type Lead = LeadHandle & {
  /** The step of the last submit that the service accepted without an error. */
  step?: string | undefined;
};

export type FieldError = { field: string; code: string; message: string };

export type SubmitOutcome =
  | { status: 'saved' }
  /** The valid fields are saved. */
  | { status: 'invalid'; errors: FieldError[] }
  /** The service refused the submit for good, for example because the funnel is not active. */
  | { status: 'rejected'; code: string; message: string }
  /** The submit was deleted by `reset()`, or was not accepted within 24 hours. */
  | { status: 'discarded' };

export type Funnel = {
  /** @param type `view`, `start`, `step_view`, `step_submit`, `complete`, or any other text */
  track(type: string, fields?: EventFields): void;
  /** Tracks that the visitor sees a step. @param index position of the step, from 0 */
  step(stepId: string, index?: number): void;
  /**
   * Stores the submit, and sends it after all earlier submits. Resolves when the outcome is final; until then, the
   * submit is retried, also on the next visit.
   *
   * Rejects with a TypeError if `data` cannot be written as JSON.
   */
  submit(submit: Submit): Promise<SubmitOutcome>;
  consent: {
    /**
     * Sends the events that this page has tracked while consent was pending, and later events. Has no effect if the
     * browser sends Global Privacy Control.
     */
    grant(): void;
    /**
     * Deletes events, session and visitor id, and drops later events. Keeps the lead's handle and unsent submits, but
     * removes the page URL from submits without an attempt.
     */
    deny(): void;
    /** Adds this record to later submits, as `cookie_consent`, even without a grant. */
    describe(cookieConsent: CookieConsent): void;
  };
  /** Resolves with the lead that the next submit updates. Undefined if the service has not created this lead yet. */
  lead(): Promise<Lead | undefined>;
  /** Tracks `complete`, and calls `startNewLead`. */
  complete(): void;
  /**
   * The next submit creates another lead. Submits before this call still update the current lead; then its handle is
   * deleted.
   */
  startNewLead(): void;
  /**
   * Forgets the visitor: deletes unsent submits, the lead's handle, the session, the visitor id, and the events that
   * this page has tracked while consent was pending. Events that were tracked after a grant are still sent.
   */
  reset(): void;
  /**
   * Absolute URL of an operation for a path like `/api/v2/public/funnel/{id}/mfa/send`. `{id}` is replaced by the
   * funnel id.
   */
  urlOf(path: string): string;
};

export declare function createFunnel(options: FunnelOptions): Funnel;

/** The funnel of the classic script. */
export type ScriptFunnel = Funnel & {
  /**
   * Calls a function immediately. Before the script is loaded, `window.tributary` can be an array: then `push` adds the
   * function to the array, and the script calls it later.
   */
  push(call: (funnel: ScriptFunnel) => void): void;
  /**
   * Loads a part, an ES module in the folder of the script.
   *
   * @param part for example `verification`
   * @throws the error of the third attempt, if three attempts fail
   */
  load(part: string): Promise<unknown>;
};

declare global {
  interface Window {
    /** Before the classic script is loaded: functions that it will call. Afterwards: the funnel of the script. */
    tributary?: ((funnel: ScriptFunnel) => void)[] | ScriptFunnel;
  }
}
