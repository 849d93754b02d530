import type { PrimaryKey } from '../../platform/aws/table-reader.ts';
import { DUE_INDEX_SHARDS, formatDueAt } from '../../platform/due-index.ts';
import { CustomDomain, type DomainIds } from '../domain.ts';
import { domainKey } from './keys.ts';

/** The domain's shard in the due index. */
const getDueShard = (domainId: string): string =>
  formatDueShard(Number.parseInt(domainId.slice(0, 8), 16) % DUE_INDEX_SHARDS);
export const formatDueShard = (shard: number): string => `removal#${shard}`;

const PREFIX = { org: 'org#', domain: 'domain#' };

/** The ids of the domain that a primary key identifies. */
export const parseDomainKey = ({ pk, sk }: PrimaryKey): DomainIds => ({
  orgId: pk.slice(PREFIX.org.length),
  domainId: sk.slice(PREFIX.domain.length),
});

/** The attributes that put a domain into the due index. */
export const toDueAttributes = (domainId: string, dueAtMs: number) => ({
  dueShard: getDueShard(domainId),
  dueAt: formatDueAt(dueAtMs),
});

/** The item of a domain in the directory table. */
export const toDomainItem = ({ dueAt: due, ...domain }: CustomDomain): Record<string, unknown> => ({
  ...domainKey(domain.orgId, domain.id),
  ...domain,
  ...(due !== null && toDueAttributes(domain.id, Date.parse(due))),
});

/** @throws ZodError for an item of another shape */
export const parseDomainItem = (item: Record<string, unknown>): CustomDomain => CustomDomain.parse(item);
