import type * as z from 'zod/mini';
import { formatIssues } from '../../http/middleware/request-validation.ts';

/** The rows of a stream's record, or a sentence, without its values, on why it is not what ingest writes. */
export type DecodedRecord<Row> = { rows: Row[] } | { reason: string };

/** Reads a record by a row's schema: all of it or nothing, as half a record must never count. */
export function decodeRecordRows<Row>(data: Uint8Array, schema: z.ZodMiniType<Row>): DecodedRecord<Row> {
  const lines = linesOf(data);
  if (lines === undefined) return { reason: 'The record is not made of complete lines of UTF-8 text.' };
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

/** Undefined for what is not JSON, which no row is either. */
function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
