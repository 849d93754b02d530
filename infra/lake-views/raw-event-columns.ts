import * as z from 'zod/mini';
import { EventRow } from '../../shared/analytics/events/event-row.ts';
import type { ColumnType } from '../../shared/analytics/facts/fact-columns.ts';

/** A column of files, Glue tables and documentation. */
export type LakeColumn = { name: string; type: ColumnType; about: string };

const SESSION_KEY: LakeColumn = {
  name: 'session_key',
  type: 'BIGINT',
  about: 'Key of the session within its funnel: first 8 bytes of SHA-256(funnel_id, 0, session_id), signed.',
};

/** The columns of a file of raw events, in order: the key of the session, then the columns of `EventRow`. */
export const RAW_EVENT_COLUMNS: readonly LakeColumn[] = [
  SESSION_KEY,
  ...Object.entries(EventRow.shape).map(([name, schema]) => ({
    name,
    type: typeOf(schema),
    about: z.globalRegistry.get(schema)?.description ?? '',
  })),
];

/** @throws TypeError for a schema in `EventRow` that has no column type */
function typeOf(schema: z.ZodMiniType): ColumnType {
  if (schema instanceof z.ZodMiniNullable) return typeOf(schema.def.innerType as z.ZodMiniType);
  if (schema instanceof z.ZodMiniNumber) return 'BIGINT';
  if (schema instanceof z.ZodMiniBoolean) return 'BOOLEAN';
  if (schema instanceof z.ZodMiniString || schema instanceof z.ZodMiniStringFormat || schema instanceof z.ZodMiniEnum)
    return 'VARCHAR';
  throw new TypeError(`The schema ${schema.type} of EventRow has no column type. Add one in raw-event-columns.ts.`);
}
