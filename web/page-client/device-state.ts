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
  /**
   * The bytes of the first attempt, which each retry repeats. If the API refuses the handle, the submit is repeated
   * without it, with other bytes.
   */
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
  // Also what is from the future, because then the clock was moved back.
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

/** Deletes what a visitor's denial deletes. */
export function denyIn(state: DeviceState): void {
  state.isDenied = true;
  state.events = [];
  delete state.session;
  delete state.visitorId;
  for (const submit of state.submits) delete submit.pageUrl;
}

/** Deletes what identifies the visitor. Keeps the events, because they are not personal. */
export function resetIn(state: DeviceState): void {
  state.submits = [];
  state.handles = {};
  state.outcomes = {};
  delete state.lead;
  delete state.session;
  delete state.visitorId;
}

/** The entry of the note for a denial. */
export const DENIAL = 'denial';

/**
 * Returns the ids of everything deleted between two states, except a first submit that created a lead. A later visit
 * gets that lead's handle only by repeating the submit, which is harmless.
 */
export function deletedIds(before: DeviceState, after: DeviceState): (string | undefined)[] {
  const remaining = new Set(idsOf(after));
  for (const { key, lead, body } of before.submits) if (after.handles[lead] && !isUpdate(body)) remaining.add(key);
  const ids = idsOf(before).filter((id) => !remaining.has(id));
  return after.isDenied ? [...ids, DENIAL] : ids;
}

/** Returns the ids of what `resetIn` deletes. */
export const resetIds = (state: DeviceState): (string | undefined)[] => idsOf({ ...state, events: [] });

/** Deletes from an older state what was deleted since. @param note ids, separated by commas */
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
