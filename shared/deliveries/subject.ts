import type { DomainIds } from '../domains/domain.ts';
import type { LeadKey } from '../leads/lead.ts';
import type { CallIds } from '../training/call.ts';

export type LeadSubject = { kind: 'lead' } & LeadKey;
export type CallSubject = { kind: 'call' } & CallIds;
export type DomainSubject = { kind: 'domain' } & DomainIds;

/** What a message is about. The type of the message begins with `kind`. */
export type Subject = LeadSubject | CallSubject | DomainSubject;
