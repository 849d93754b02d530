import { randomUUID } from 'node:crypto';
import type { LeadKey } from '../../../shared/leads/lead.ts';
import { DEFAULT_TOKEN_DAYS, hashToken, tokenExpiryMs } from '../../../shared/leads/lead-handle.ts';
import type { CreateOutcome, LeadChange, LeadRepository } from '../../../shared/leads/ports.ts';

export const NOON = Date.parse('2026-03-01T12:00:00.000Z');
export const DAY_MS = 86_400_000;

export const aLeadKey = (): LeadKey => ({ funnelId: randomUUID(), leadId: randomUUID() });

/** A change without data. */
export const aLeadChange = (overrides: Partial<LeadChange> = {}): LeadChange => ({
  tokenHash: hashToken('token'),
  atMs: NOON,
  tokenExpiresAtMs: tokenExpiryMs(overrides.atMs ?? NOON, DEFAULT_TOKEN_DAYS, overrides.retainedUntilMs),
  retainedUntilMs: undefined,
  dataChanges: new Map(),
  consents: [],
  stepId: undefined,
  isValidLastStep: false,
  pageUrl: undefined,
  webcomponentArgs: undefined,
  cookieConsent: undefined,
  deviceClass: 'desktop',
  ...overrides,
});

type StoredLead = { last: LeadChange; data: Map<string, string>; submits: number };

/** In-memory repository without the size and step limits, which the tests of the DynamoDB repository cover. */
export function createInMemoryLeadRepository() {
  const stored = new Map<string, StoredLead>();
  const idOf = ({ funnelId, leadId }: LeadKey) => `${funnelId}/${leadId}`;
  const merge = (lead: StoredLead, submit: LeadChange) => {
    for (const [key, json] of submit.dataChanges) json === null ? lead.data.delete(key) : lead.data.set(key, json);
    lead.last = submit;
    lead.submits++;
  };
  const leads: LeadRepository = {
    create: async (key, submit): Promise<CreateOutcome> => {
      const taken = stored.get(idOf(key));
      if (taken !== undefined) {
        const { tokenHash, tokenExpiresAtMs } = taken.last;
        if (tokenHash === submit.tokenHash && tokenExpiresAtMs <= submit.atMs) {
          taken.last = { ...taken.last, tokenExpiresAtMs: submit.tokenExpiresAtMs };
        }
        return { outcome: 'exists', tokenHash };
      }
      const lead: StoredLead = { last: submit, data: new Map(), submits: 0 };
      merge(lead, submit);
      stored.set(idOf(key), lead);
      return { outcome: 'created' };
    },
    merge: async (key, submit) => {
      const lead = stored.get(idOf(key));
      if (lead === undefined) return 'unknown_lead';
      const { tokenHash, tokenExpiresAtMs } = lead.last;
      if (tokenHash !== submit.tokenHash || tokenExpiresAtMs <= submit.atMs) return 'invalid_token';
      merge(lead, submit);
      return 'merged';
    },
  };
  return {
    leads,
    all: (): StoredLead[] => [...stored.values()],
    /** Returns the stored values of a lead's `data`, parsed. */
    dataOf: (funnelId: string, leadId: string) =>
      Array.from(stored.get(idOf({ funnelId, leadId }))?.data ?? [], ([key, json]): [string, unknown] => [
        key,
        JSON.parse(json),
      ]),
  };
}
