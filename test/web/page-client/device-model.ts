import fc from 'fast-check';
import { vi } from 'vitest';
import { createConsent } from '../../../web/page-client/consent.ts';
import {
  DENIAL,
  type DeviceState,
  deleteIds,
  emptyState,
  removeExpired,
  resetIds,
} from '../../../web/page-client/device-state.ts';
import { createEventQueue, type TrackedEvent } from '../../../web/page-client/event-queue.ts';
import type { ConsentState } from '../../../web/page-client/funnel.d.mts';
import type { Journal } from '../../../web/page-client/journal.ts';
import type { StateStorage } from '../../../web/page-client/storage.ts';
import { createSubmitQueue, type JournaledSubmit } from '../../../web/page-client/submit-queue.ts';
import { createTabLock } from '../../../web/page-client/tab-lock.ts';
import type { ApiResponse, Post } from '../../../web/page-client/transport.ts';

/** What happens to a request. After `tab-dies…`, the tab does nothing more. */
const FATES = [
  'responds',
  'loses-request',
  'loses-response',
  'unavailable',
  'tab-dies-before-request',
  'tab-dies-before-response',
] as const;
export type Fate = (typeof FATES)[number];

export const fates = fc.array(fc.constantFrom(...FATES), { maxLength: 60 });

const LANDING_URL = 'https://shop.example/?utm_source=news';
const STORAGE_MS = 2;
const NETWORK_MS = 40;
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * A device with one storage and a network to a service. Tabs can open and die at any moment. Needs fake timers.
 *
 * @param respond the service
 * @param schedule the fates of the first requests. All later requests get responses
 */
export function createDevice(respond: (body: string, init: RequestInit) => ApiResponse, schedule: readonly Fate[]) {
  let state = emptyState();
  let requests = 0;
  /** Everything that was ever stored, in its order. */
  const stored = { events: new Set<string>(), submits: new Map<string, string>() };
  const warnings: unknown[][] = [];
  const sent: { body: string; init: RequestInit; consent: ConsentState }[] = [];

  let note: string | undefined;
  const eventJournal = createJournal<TrackedEvent>(({ eventId }) => eventId);
  const submitJournal = createJournal<JournaledSubmit>(({ key }) => key);

  function openTab({ consent: initial = 'granted' as ConsentState, hasVisitorId = false } = {}) {
    let isAlive = true;
    let isAborting = false;
    const alive = async <T>(value: T): Promise<T> => (isAlive ? value : never());
    let last: Promise<unknown> = Promise.resolve();
    let known: DeviceState | undefined;
    const commit = async <T>(change: (draft: DeviceState) => T): Promise<T> => {
      await alive(await pause(STORAGE_MS));
      const draft = removeExpired(deleteIds(structuredClone(state), note ?? ''));
      const result = change(draft);
      if (isAborting) return never();
      note = '';
      state = structuredClone(removeExpired(draft));
      known = draft;
      for (const { eventId } of state.events) stored.events.add(eventId);
      for (const { key, members } of state.submits) stored.submits.set(key, members);
      return alive(structuredClone(result));
    };
    const storage: StateStorage = {
      update: (change) => {
        note ??= '';
        const updated = last.then(() => commit(change));
        last = updated;
        return updated;
      },
      noteDenial: () => {
        note = `${note ?? ''},${DENIAL}`;
      },
      noteReset() {
        if (known) note = [note ?? '', ...resetIds(known)].join();
      },
      isNew: () => note === undefined,
    };
    const post: Post = async (_url, body, init = {}) => {
      await alive(undefined);
      const fate = schedule[requests++] ?? 'responds';
      sent.push({ body, init, consent: consent.state() });
      if (fate === 'tab-dies-before-request') isAlive = false;
      await alive(await pause(NETWORK_MS));
      if (fate === 'loses-request') return undefined;
      if (fate === 'unavailable') return UNAVAILABLE;
      const response = respond(body, init);
      if (fate === 'tab-dies-before-response') isAlive = false;
      await alive(await pause(NETWORK_MS));
      return fate === 'loses-response' ? undefined : response;
    };
    const isReturning = !storage.isNew();
    const consent = createConsent('test', initial, false, () => events.discard());
    const warn = (...warning: unknown[]) => void warnings.push(warning);
    const lock = (name: string) => createTabLock(name, storage, undefined);
    const events = createEventQueue({
      url: '/e',
      landingUrl: location.href,
      storage,
      journal: eventJournal,
      lock: lock('e'),
      consent,
      isReturning,
      hasVisitorId,
      post,
      warn,
    });
    const submits = createSubmitQueue({
      url: '/s',
      isReturning,
      storage,
      journal: submitJournal,
      lock: lock('s'),
      post,
      warn,
    });
    events.flush();
    submits.flush();
    return {
      events,
      submits,
      consent,
      storage,
      reset() {
        submits.discard();
        void events.reset().then(submits.flush);
      },
      die: () => {
        isAlive = false;
      },
      isAlive: () => isAlive,
      /** From now on, no transaction is completed, as when a page ends. */
      abortTransactions: () => {
        isAborting = true;
      },
    };
  }

  /** From now on, all requests get responses. */
  const recover = () => {
    requests = schedule.length;
  };
  return { openTab, recover, stored, sent, warnings, state: () => state };
}

function createJournal<Entry extends { atMs: number }>(idOf: (entry: Entry) => string): Journal<Entry> {
  const entries = new Map<string, Entry>();
  return {
    add: (entry) => void entries.set(idOf(entry), structuredClone(entry)),
    read: () => [...entries.values()].sort((one, other) => one.atMs - other.atMs),
    remove: (removed) => {
      for (const entry of removed) entries.delete(idOf(entry));
    },
  };
}

export type Tab = ReturnType<ReturnType<typeof createDevice>['openTab']>;

const UNAVAILABLE: ApiResponse = {
  status: 503,
  body: { error: { code: 'unavailable', message: '' } },
  retryAfterMs: 2_000,
};

/** Replaces the browser's globals and its clock. */
export function useBrowserGlobals(): void {
  vi.stubGlobal('location', { href: LANDING_URL });
  vi.stubGlobal('document', { referrer: '' });
  vi.useFakeTimers();
}

/** Random sequences of steps that open, use and kill tabs. */
export const visits = <Action extends string>(...actions: readonly Action[]) =>
  fc.array(
    fc.record({
      action: fc.constantFrom<Action | 'open' | 'die' | 'wait'>(...actions, 'open', 'die', 'wait'),
      tab: fc.nat(3),
      ms: fc.constantFrom(0, 1, 10, 350, 5_000, 40_000),
    }),
    { maxLength: 60 },
  );
