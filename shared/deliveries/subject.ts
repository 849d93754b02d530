import type { LeadKey } from '../leads/lead.ts';

export type LeadSubject = { kind: 'lead' } & LeadKey;

/** What messages are about. Their types begin with the kind. */
export type Subject = LeadSubject;
