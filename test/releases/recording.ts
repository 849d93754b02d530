import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { BUCKETS } from '../../infra/local/runtime/environment.ts';
import type { TableName } from '../../infra/stacks/data/tables.ts';

/*
 * A recording of what a release stored, one JSON document per line: first `Known`, then the items, then the files.
 * `record.ts` writes recordings. Tests of later releases read them.
 */

/** Ids, tokens and counts that the clients of the recorded release know. */
export type Known = {
  release: string;
  recordedAtMs: number;
  /** A lead with an attached file. A verification code was sent to its address. */
  lead: { lead_id: string; update_token: string };
  attachedFileId: string;
  /** An uploaded file that is not attached to a lead. */
  looseFileId: string;
  /** Number of sessions that were reported. Some are in a compacted file, some are fresh facts. */
  sessions: number;
  caseId: string;
  callId: string;
  copiedPageId: string;
};

export type StoredItem = { table: TableName; item: Record<string, AttributeValue> };
export type StoredFile = {
  bucket: keyof typeof BUCKETS;
  key: string;
  contentType: string;
  metadata: Record<string, string>;
  /** Base64. */
  body: string;
};

export type Recording = { known: Known; items: StoredItem[]; files: StoredFile[] };

const encode = (line: unknown): string =>
  JSON.stringify(line, (_, value) =>
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
  );

const decode = (line: string): unknown =>
  JSON.parse(line, (_, value) => (typeof value?.base64 === 'string' ? Buffer.from(value.base64, 'base64') : value));

export const toText = ({ known, items, files }: Recording): string =>
  [known, ...items, ...files].map((line) => `${encode(line)}\n`).join('');

export function fromText(text: string): Recording {
  const [known, ...rest] = text.trimEnd().split('\n').map(decode) as [Known, ...(StoredItem | StoredFile)[]];
  return {
    known,
    items: rest.filter((one) => 'table' in one),
    files: rest.filter((one) => 'bucket' in one),
  };
}
