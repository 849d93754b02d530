import * as z from 'zod/mini';
import type { LeadKey } from '../lead.ts';
import { parseLeadKey } from './lead-item.ts';

const Text = z.object({ S: z.string() });
const StreamEvent = z.object({
  Records: z.array(
    z.object({ dynamodb: z.object({ Keys: z.object({ pk: Text }), NewImage: z.object({ dueAt: Text }) }) }),
  ),
});

/**
 * Returns the leads in an event of the table's stream that are due in the outbox, each once. Returns undefined
 * for an event without records, such as that of a schedule.
 *
 * @throws ZodError if a record does not have the new image of an item in the outbox
 */
export function dueLeadsIn(event: unknown, nowMs: number): LeadKey[] | undefined {
  if (typeof event !== 'object' || event === null || !('Records' in event)) return undefined;
  const due = StreamEvent.parse(event).Records.filter(({ dynamodb }) => Date.parse(dynamodb.NewImage.dueAt.S) <= nowMs);
  const partitions = new Set(due.map(({ dynamodb }) => dynamodb.Keys.pk.S));
  return [...partitions].map((pk) => parseLeadKey({ pk }));
}
