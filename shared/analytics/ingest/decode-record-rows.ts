import type * as z from 'zod/mini';
import { formatIssues } from '../../http/middleware/request-validation.ts';

/** The rows of a stream record, or a sentence without input values that says why the record is invalid. */
export type DecodedRecord<Row> = { rows: Row[] } | { reason: string };

/**
 * Decodes a record. One invalid row makes the whole record invalid, because a part of a record must never be counted.
 */
export function decodeRecordRows<Row>(data: Uint8Array, schema: z.ZodMiniType<Row>): DecodedRecord<Row> {
  const lines = linesOf(data);
  if (lines === undefined) return { reason: 'The record does not consist of complete lines of UTF-8 text.' };
  const rows: Row[] = [];
  for (const [index, line] of lines.entries()) {
    const read = schema.safeParse(jsonOf(line));
    if (!read.success) return { reason: formatIssues(read.error.issues, `line ${index + 1}`) };
    rows.push(read.data);
  }
  return { rows };
}

function linesOf(data: Uint8Array): string[] | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
    return text.endsWith('\n') ? text.slice(0, -1).split('\n') : undefined;
  } catch {
    return undefined;
  }
}

/** Returns undefined for invalid JSON. The line is then invalid, because no row schema accepts undefined. */
function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
