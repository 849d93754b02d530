import * as z from 'zod';
import { StoredEvent } from '../events/stored-event.ts';
import type { ColumnType } from '../facts/fact-columns.ts';

/** A column of the lake, as its files, the Glue tables and the documentation have it. */
export type LakeColumn = { name: string; type: ColumnType; about: string };

const SESSION_KEY: LakeColumn = {
  name: 'session_key',
  type: 'BIGINT',
  about: 'Key of the session within its funnel: first 8 bytes of SHA-256(funnel_id, 0, session_id), signed.',
};

/** The columns of a raw event's file, in order: the session's key, then those of `StoredEvent`. */
export const RAW_EVENT_COLUMNS: readonly LakeColumn[] = [
  SESSION_KEY,
  ...Object.entries(StoredEvent.shape).map(([name, schema]) => ({
    name,
    type: typeOf(schema),
    about: schema.description ?? '',
  })),
];

/** @throws for a schema that no column holds, which is a mistake in `StoredEvent` */
function typeOf(schema: z.ZodType): ColumnType {
  if (schema instanceof z.ZodNullable) return typeOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodNumber) return 'BIGINT';
  if (schema instanceof z.ZodBoolean) return 'BOOLEAN';
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat || schema instanceof z.ZodEnum)
    return 'VARCHAR';
  throw new TypeError(`No column holds a ${schema.type}.`);
}
