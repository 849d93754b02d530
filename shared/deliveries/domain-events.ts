import type { ActiveDomain, DomainOutbox } from '../domains/ports.ts';
import type { EventSource } from './ports.ts';
import { createSingleEvents } from './single-events.ts';
import type { DomainSubject } from './subject.ts';

export const createDomainEvents = (outbox: DomainOutbox): EventSource<DomainSubject> =>
  createSingleEvents(outbox, {
    subjectOf: ({ orgId, domainId }) => ({ kind: 'domain', orgId, domainId }),
    eventOf: (domain: ActiveDomain) => ({
      type: 'domain.active',
      at: domain.activatedAt,
      data: { domain: { ...domain, status: 'active' } },
    }),
  });
