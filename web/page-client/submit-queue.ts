import { type DeviceState, isUpdate, type StoredSubmit } from './device-state.ts';
import type { FieldError, Lead, Submit, SubmitOutcome } from './funnel.d.mts';
import type { Journal } from './journal.ts';
import { randomId } from './random-id.ts';
import { createRetryLoop } from './retry-loop.ts';
import { backOff, remainingMs } from './retry-schedule.ts';
import type { StateStorage } from './storage.ts';
import type { TabLock } from './tab-lock.ts';
import { type ApiResponse, isTemporary, type Post } from './transport.ts';

/**
 * An entry of the journal: a submit that does not belong to a lead yet. An entry without `members` records a call of
 * `startNewLead()`, after which the next submit creates another lead.
 */
export type JournaledSubmit = Pick<StoredSubmit, 'key' | 'atMs' | 'pageUrl'> & { members?: string };

export type SubmitQueuePorts = {
  url: string;
  /** Whether closed pages may have left submits in the journal. If false, it contains only submits of open tabs. */
  isReturning: boolean;
  storage: StateStorage;
  journal: Journal<JournaledSubmit>;
  lock: TabLock;
  post: Post;
  warn(message: string, detail: unknown): void;
};

/**
 * Delivers submits in their order, one at a time across all tabs. The bytes of a submit are stored before the first
 * attempt, and each attempt repeats them with the same Idempotency-Key. But if the API refuses the lead's handle, the
 * next attempt has new bytes without the handle. One transaction deletes a submit and stores the handle. Therefore, a
 * crash at any moment neither loses a submit nor creates a second lead.
 */
export function createSubmitQueue({ url, isReturning, storage, journal, lock, post, warn }: SubmitQueuePorts) {
  /** The submits of this page whose outcome is not known, by key. */
  const waiting = new Map<string, (outcome: SubmitOutcome) => void>();
  let lastMs = 0;

  /** Returns a key and a time for a new journal entry. The time is later than those of this page's earlier entries. */
  const nextEntry = () => {
    lastMs = Math.max(Date.now(), lastMs + 1);
    return { key: randomId(), atMs: lastMs };
  };

  const resolve = (key: string, outcome: SubmitOutcome) => {
    waiting.get(key)?.(outcome);
    waiting.delete(key);
  };

  /** Stores submits, except those that another tab has already stored from the journal. */
  const store = (submitsOf: () => JournaledSubmit[]): Promise<void> => {
    const stored = storage.update((state) => {
      const submits = submitsOf();
      for (const { members, ...submit } of submits) {
        if (members === undefined) delete state.lead;
        else if (!state.outcomes[submit.key] && !state.submits.some(({ key }) => key === submit.key)) {
          if (state.isDenied) delete submit.pageUrl;
          state.lead ??= randomId();
          state.submits.push({ lead: state.lead, members, ...submit });
        }
      }
      return submits;
    });
    return stored.then(journal.remove);
  };

  // Stores the submits of pages that ended before their submits were stored. The transaction reads the journal again,
  // because a reset may delete submits before the transaction.
  if (isReturning && journal.read().length > 0) void store(journal.read);

  const flushAfter = createRetryLoop(lock, async () => {
    const { outcomes, waitMs, next } = await storage.update((state) => {
      const settled = [...waiting.keys()].filter((key) => !state.submits.some((stored) => stored.key === key));
      const [head] = state.submits;
      if (head) head.body ??= writeBody(head, state);
      const discarded: SubmitOutcome = { status: 'discarded' };
      const outcomes = settled.map((key) => [key, state.outcomes[key]?.outcome ?? discarded] as const);
      return { outcomes, waitMs: remainingMs(state.submitBackoff, Date.now()), next: head };
    });
    for (const [key, outcome] of outcomes) resolve(key, outcome);
    if (next?.body === undefined) return undefined;
    if (waitMs > 0) return waitMs;
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': next.key };
    const response = await post(url, next.body, { headers });
    const { outcome, ...after } = await storage.update((state) => settle(state, next, response, waiting.has(next.key)));
    if (outcome?.status === 'rejected') warn('A submit is rejected.', outcome);
    if (outcome) resolve(next.key, outcome);
    return after.waitMs;
  });

  return {
    /** @throws TypeError if `data` cannot be written as JSON */
    async submit({ data, step, version, cookieConsent }: Submit, pageUrl: string | undefined): Promise<SubmitOutcome> {
      const submit = {
        ...nextEntry(),
        // Written now, because the page may change `data` later.
        members: JSON.stringify({ data, step_id: step, funnel_version_id: version, cookie_consent: cookieConsent }),
        pageUrl,
      };
      return new Promise((settled) => {
        const stored = store(() => {
          // Not added earlier: a submit in `waiting` counts as discarded if the storage does not contain it.
          waiting.set(submit.key, settled);
          return [submit];
        });
        journal.add(submit);
        void stored.then(() => flushAfter(0));
      });
    },
    lead: (): Promise<Lead | undefined> =>
      storage.update(({ lead, handles }) => {
        const handle = handles[lead ?? ''];
        return handle && { id: handle.id, update_token: handle.update_token, step: handle.step };
      }),
    startNewLead(): void {
      const end = nextEntry();
      void store(() => [end]);
      journal.add(end);
    },
    flush: () => flushAfter(0),
    /** Deletes the submits that are not stored yet. */
    discard: () => journal.remove(journal.read()),
  };
}

function writeBody({ members, pageUrl, lead }: StoredSubmit, { handles }: DeviceState): string {
  const handle = handles[lead];
  return JSON.stringify({
    ...JSON.parse(members),
    page_url: pageUrl,
    ...(handle && { lead_id: handle.id, update_token: handle.update_token }),
  });
}

/**
 * Applies a response to the state.
 *
 * @param isAwaited whether this page made the submit and waits for the outcome
 * @returns `outcome`: undefined if the submit must be sent again or is no longer stored. `waitMs`: milliseconds until
 * the next attempt; undefined if there are no more submits
 */
function settle(
  state: DeviceState,
  { key, lead, members, body }: StoredSubmit,
  response: ApiResponse | undefined,
  isAwaited: boolean,
): { outcome?: SubmitOutcome; waitMs: number | undefined } {
  const submit = state.submits.find((stored) => stored.key === key);
  // Another tab has settled the submit, or `reset()` has deleted it.
  if (!submit) return { waitMs: 0 };
  const outcome = outcomeOf(response);
  if (outcome && response?.body.data && outcome.status !== 'rejected') {
    const { id, update_token } = response.body.data;
    const step = outcome.status === 'saved' ? JSON.parse(members).step_id : undefined;
    state.handles[lead] = { id, update_token, atMs: Date.now(), step: step ?? state.handles[lead]?.step };
  }
  if (outcome?.status === 'rejected' && isUpdate(body)) {
    // If the handle has expired, or the lead was erased (404), the submit is sent again without the handle, and creates
    // another lead. Exception: after a 404, a page that did not make the submit drops it. Otherwise, a retry on a later
    // visit would create an erased lead again.
    if (outcome.code === 'invalid_update_token' || (response?.status === 404 && isAwaited)) {
      delete state.handles[lead];
      delete submit.body;
      return { waitMs: 0 };
    }
  }
  if (!outcome) {
    state.submitBackoff = backOff(state.submitBackoff, response?.retryAfterMs ?? 0, Date.now());
    return { waitMs: remainingMs(state.submitBackoff, Date.now()) };
  }
  delete state.submitBackoff;
  state.submits = state.submits.filter((stored) => stored !== submit);
  if (!isAwaited) state.outcomes[key] = { outcome, atMs: Date.now() };
  return { outcome, waitMs: state.submits.length > 0 ? 0 : undefined };
}

/** @returns undefined if the submit must be sent again */
function outcomeOf(response: ApiResponse | undefined): SubmitOutcome | undefined {
  const { data, error } = response?.body ?? {};
  if (response?.status === 200 && data?.id) return { status: 'saved' };
  if (error === undefined || isTemporary(response)) return undefined;
  if (response?.status === 422 && data?.id)
    return { status: 'invalid', errors: (error.validation_errors ?? []) as FieldError[] };
  return { status: 'rejected', code: error.code, message: error.message };
}
