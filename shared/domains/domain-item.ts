import { key, type PrimaryKey } from '../platform/aws/table-reader.ts';
import { DUE_SHARDS, dueAt } from '../platform/due-time.ts';
import { Domain, type DomainIds } from './domain.ts';

/** A domain's shard in the index of what is due. */
const shardOf = (domainId: string): string => shardName(Number.parseInt(domainId.slice(0, 8), 16) % DUE_SHARDS);
export const shardName = (shard: number): string => `removal#${shard}`;

const PREFIX = { org: 'org#', domain: 'domain#' };

/** Whose record a key is. */
export const idsIn = ({ pk, sk }: PrimaryKey): DomainIds => ({
  orgId: pk.slice(PREFIX.org.length),
  domainId: sk.slice(PREFIX.domain.length),
});

export const itemKey = ({ orgId, domainId }: DomainIds): PrimaryKey => key.domain(orgId, domainId);

/** What puts a domain into the index of what is due. */
export const dueIn = (domainId: string, dueAtMs: number) => ({ dueShard: shardOf(domainId), dueAt: dueAt(dueAtMs) });

/** The record as the directory table holds it. */
export const itemOf = ({ dueAt: due, ...domain }: Domain): Record<string, unknown> => ({
  ...key.domain(domain.orgId, domain.id),
  ...domain,
  ...(due !== null && dueIn(domain.id, Date.parse(due))),
});

/** @throws ZodError for a record that has another shape */
export const domainIn = (item: Record<string, unknown>): Domain => Domain.parse(item);
