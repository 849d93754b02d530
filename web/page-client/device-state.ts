import type { Attribution } from './attribution.ts';
import type { Lead, SubmitOutcome } from './funnel.d.mts';
import type { Backoff } from './retry-schedule.ts';
import type { Session } from './session.ts';

/** An event as the ingest operation receives it. */
export type EventRow = Attribution & {
  eventId: string;
  sessionId: string;
  timestamp: string;
  language: string;
  stepId?: string | undefined;
  stepIndex?: number | undefined;
  version?: number | undefined;
  payload: Record<string, unknown>;
};

export type StoredSubmit = {
  /** The Idempotency-Key. */
  key: string;
  /** Key of `handles`. */
  lead: string;
  atMs: number;
  /** The members of the body that are known before the handle, as JSON. */
  members: string;
  pageUrl?: string | undefined;
  /** The bytes of the first attempt, which each retry repeats. */
  body?: string;
};

type Handle = Lead & { atMs: number };

/** What this device stores about one funnel. */
export type DeviceState = {
  events: EventRow[];
  submits: StoredSubmit[];
  /** The lead of the next submit. */
  lead?: string | undefined;
  handles: Record<string, Handle>;
  /** Outcomes of submits that another tab sent than the one that waits for them. */
  outcomes: Record<string, { outcome: SubmitOutcome; atMs: number }>;
  session?: Session | undefined;
  visitorId?: string | undefined;
  isDenied?: boolean;
  eventBackoff?: Backoff | undefined;
  submitBackoff?: Backoff | undefined;
  /** The leases of tab locks, in milliseconds of their end. */
  leases: Record<string, number>;
};

const DAY_MS = 86_400_000;
const HANDLE_MS = 30 * DAY_MS;
const EVENTS_MAX = 500;

export const emptyState = (): DeviceState => ({ events: [], submits: [], handles: {}, outcomes: {}, leases: {} });

/** Deletes what is too old or too much, and the handles of leads that are complete. Keeps the newest events. */
export function removeExpired(state: DeviceState): DeviceState {
  const nowMs = Date.now();
  const isYoung = (atMs: number, ageMs = DAY_MS) => Math.abs(nowMs - atMs) < ageMs;
  state.events = state.events.filter(({ timestamp }) => isYoung(Date.parse(timestamp))).slice(-EVENTS_MAX);
  state.submits = state.submits.filter(({ atMs }) => isYoung(atMs));
  for (const [lead, { atMs }] of Object.entries(state.handles)) {
    const isUsed = lead === state.lead || state.submits.some((submit) => submit.lead === lead);
    if (!isUsed || !isYoung(atMs, HANDLE_MS)) delete state.handles[lead];
  }
  for (const [key, { atMs }] of Object.entries(state.outcomes)) if (!isYoung(atMs)) delete state.outcomes[key];
  return state;
}
