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
  /** The body as a JSON object, but still without the page URL and the handle. */
  members: string;
  pageUrl?: string | undefined;
  /**
   * The body of the first attempt. Each retry repeats its bytes. If the API refuses the handle, the next attempt has a
   * new body without the handle.
   */
  body?: string;
};

type Handle = Lead & { atMs: number };

/** What this device stores about one funnel. */
export type DeviceState = {
  events: EventRow[];
  submits: StoredSubmit[];
  /** The lead that the next submit creates or updates, as a key of `handles`. */
  lead?: string | undefined;
  handles: Record<string, Handle>;
  /** If a tab sends a submit of another tab, the outcome is stored here for the other tab. */
  outcomes: Record<string, { outcome: SubmitOutcome; atMs: number }>;
  session?: Session | undefined;
  visitorId?: string | undefined;
  isDenied?: boolean;
  eventBackoff?: Backoff | undefined;
  submitBackoff?: Backoff | undefined;
  /** When the lease of each tab lock ends, in milliseconds since 1970. The keys are the names of the locks. */
  leases: Record<string, number>;
};

const DAY_MS = 86_400_000;
const HANDLE_MS = 30 * DAY_MS;
const EVENTS_MAX = 500;

export const emptyState = (): DeviceState => ({ events: [], submits: [], handles: {}, outcomes: {}, leases: {} });

/** Deletes expired entries and unused handles. Keeps only the newest 500 events. */
export function removeExpired(state: DeviceState): DeviceState {
  const nowMs = Date.now();
  // If the clock was moved back after an entry was stored, its time is in the future. Such an entry has not expired.
  const isYoung = (atMs: number, ageMs = DAY_MS) => nowMs - atMs < ageMs;
  state.events = state.events.filter(({ timestamp }) => isYoung(Date.parse(timestamp))).slice(-EVENTS_MAX);
  state.submits = state.submits.filter(({ atMs }) => isYoung(atMs));
  for (const [lead, { atMs }] of Object.entries(state.handles)) {
    const isUsed = lead === state.lead || state.submits.some((submit) => submit.lead === lead);
    if (!isUsed || !isYoung(atMs, HANDLE_MS)) delete state.handles[lead];
  }
  for (const [key, { atMs }] of Object.entries(state.outcomes)) if (!isYoung(atMs)) delete state.outcomes[key];
  return state;
}

/**
 * Stores a denial, and deletes the events, the session, the visitor id and the page URLs of submits. If a submit has a
 * `body` already, the body keeps the page URL.
 */
export function denyIn(state: DeviceState): void {
  state.isDenied = true;
  state.events = [];
  delete state.session;
  delete state.visitorId;
  for (const submit of state.submits) delete submit.pageUrl;
}

/** Deletes everything that `reset()` deletes. The events remain, because they will still be sent. */
export function resetIn(state: DeviceState): void {
  state.submits = [];
  state.handles = {};
  state.outcomes = {};
  delete state.lead;
  delete state.session;
  delete state.visitorId;
}

/** The entry for a denial in the note of deleted ids (see `storage.ts`). */
export const DENIAL = 'denial';

/**
 * Returns the ids of everything that was deleted between two states, and `DENIAL` after a denial. Leaves out a submit
 * that created a lead, if `after` has the lead's handle. A later visit repeats this submit to get the handle, which
 * only this page knows. The repetition does not create a second lead.
 */
export function deletedIds(before: DeviceState, after: DeviceState): (string | undefined)[] {
  const remaining = new Set(idsOf(after));
  for (const { key, lead, body } of before.submits) if (after.handles[lead] && !isUpdate(body)) remaining.add(key);
  const ids = idsOf(before).filter((id) => !remaining.has(id));
  return after.isDenied ? [...ids, DENIAL] : ids;
}

/** Returns the ids of what `resetIn` deletes. */
export const resetIds = (state: DeviceState): (string | undefined)[] => idsOf({ ...state, events: [] });

/** Deletes the entries that a note lists. The state may be older than the note. @param note ids, separated by commas */
export function deleteIds(state: DeviceState, note: string): DeviceState {
  const ids = note.split(',');
  const isKept = (id = '') => !ids.includes(id);
  if (!isKept(DENIAL)) denyIn(state);
  state.events = state.events.filter(({ eventId }) => isKept(eventId));
  state.submits = state.submits.filter(({ key, lead }) => isKept(key) && isKept(lead));
  for (const lead of Object.keys(state.handles)) if (!isKept(lead)) delete state.handles[lead];
  if (!isKept(state.lead)) delete state.lead;
  if (!isKept(state.session?.id)) delete state.session;
  if (!isKept(state.visitorId)) delete state.visitorId;
  return state;
}

const idsOf = ({ events, submits, handles, session, visitorId }: DeviceState): (string | undefined)[] => [
  ...events.map(({ eventId }) => eventId),
  ...submits.map(({ key }) => key),
  ...Object.keys(handles),
  session?.id,
  visitorId,
];

/** Whether the body of a submit updates a lead. */
export const isUpdate = (body: string | undefined): boolean => JSON.parse(body ?? '{}').lead_id !== undefined;
