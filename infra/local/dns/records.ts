import { join } from 'node:path';
import * as z from 'zod/mini';
import { openJsonFile, type PersistedValue } from '../common/json-file.ts';

const RECORDS_MAX = 1_000;

/** A name in lower case without a trailing dot. It may contain underscores, as in `_tributary.shop.example`. */
const Name = z.pipe(
  z.pipe(
    z.string(),
    z.transform((name) => name.toLowerCase().replace(/\.$/, '')),
  ),
  z.string().check(z.regex(/^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_-]{1,63}$/)),
);

/** Printable ASCII, short enough for one UDP packet. */
const Text = z.string().check(z.regex(/^[\x20-\x7e]{0,1000}$/));

/** A record. A name has at most one value per type. */
export const DnsRecord = z.discriminatedUnion('type', [
  z.object({ name: Name, type: z.literal('TXT'), value: Text }),
  z.object({ name: Name, type: z.literal('CNAME'), value: Name }),
]);
export type DnsRecord = z.infer<typeof DnsRecord>;

const Records = z.array(DnsRecord);
export type DnsRecords = PersistedValue<DnsRecord[]>;

export const openRecords = (folder: string): DnsRecords => openJsonFile(join(folder, 'records.json'), Records, []);

const isSameRecord = (record: DnsRecord, { name, type }: { name: string; type: string }) =>
  record.name === name && record.type === type;

/** Adds or replaces a record. @returns false, without a write, if there are too many records */
export function putRecord(records: DnsRecords, record: DnsRecord): boolean {
  const others = records.read().filter((other) => !isSameRecord(other, record));
  if (others.length >= RECORDS_MAX) return false;
  records.write([...others, record]);
  return true;
}

export function removeRecord(records: DnsRecords, record: { name: string; type: string }): void {
  records.write(records.read().filter((other) => !isSameRecord(other, record)));
}
