import type { PrimaryKey } from '../../platform/aws/table-reader.ts';
import { DUE_INDEX_SHARDS, formatDueAt } from '../../platform/due-index.ts';
import { CustomDomain, type DomainIds, type StepProgress } from '../domain.ts';
import type { DomainChanges } from '../ports.ts';
import { domainKey } from './keys.ts';

const getDueShard = (domainId: string): string =>
  formatDueShard(Number.parseInt(domainId.slice(0, 8), 16) % DUE_INDEX_SHARDS);
export const formatDueShard = (shard: number): string => `removal#${shard}`;
/**
 * The shard of the index `due` that lists domains that became active. This shard is the outbox of domains. The sweeper
 * does not read this shard.
 */
export const ACTIVATED_SHARD = 'activated';

const PREFIX = { org: 'org#', domain: 'domain#' };

export const parseDomainKey = ({ pk, sk }: PrimaryKey): DomainIds => ({
  orgId: pk.slice(PREFIX.org.length),
  domainId: sk.slice(PREFIX.domain.length),
});

/** Returns the attributes that put a domain into the due index. */
export const toDueAttributes = (domainId: string, dueAtMs: number) => ({
  dueShard: getDueShard(domainId),
  dueAt: formatDueAt(dueAtMs),
});

export const toDomainItem = ({ dueAt: due, ...domain }: CustomDomain): Record<string, unknown> => ({
  ...domainKey(domain.orgId, domain.id),
  ...toDomainAttributes(domain),
  ...(due !== null && toDueAttributes(domain.id, Date.parse(due))),
});

/**
 * Returns the attributes that store properties of a domain. Three properties are stored under other names:
 * `provisioning` as `setUp`, `removalHoldUntil` as `busyUntil`, and `failureReason` as `problem`.
 */
export const toDomainAttributes = ({
  provisioning,
  removal,
  removalHoldUntil,
  ...rest
}: Omit<DomainChanges, 'dueAt'>): Record<string, unknown> => ({
  ...rest,
  ...(provisioning !== undefined && { setUp: provisioning && toProgressAttributes(provisioning) }),
  ...(removal !== undefined && { removal: removal && toProgressAttributes(removal) }),
  ...(removalHoldUntil !== undefined && { busyUntil: removalHoldUntil }),
});

export const toProgressAttributes = ({ failureReason, ...rest }: StepProgress): Record<string, unknown> => ({
  ...rest,
  problem: failureReason,
});

/** @throws ZodError if the item has an unexpected shape */
export const parseDomainItem = ({ setUp, removal, busyUntil, dueAt, ...rest }: Record<string, unknown>): CustomDomain =>
  CustomDomain.parse({
    ...rest,
    dueAt: rest.dueShard === ACTIVATED_SHARD ? null : dueAt,
    provisioning: fromProgressAttributes(setUp),
    removal: fromProgressAttributes(removal),
    removalHoldUntil: busyUntil,
  });

function fromProgressAttributes(progress: unknown): unknown {
  if (typeof progress !== 'object' || progress === null || !('problem' in progress)) return progress;
  const { problem: failureReason, ...rest } = progress;
  return { ...rest, failureReason };
}
