import * as z from 'zod/mini';
import { docText, withDocs } from './schema-docs.ts';
import { uuid } from './schemas.ts';

/**
 * Headers of an operation that ignores `Idempotency-Key`. The key must be a UUID, as in operations that use the key.
 */
export const IgnoredIdempotencyKeyHeaders = z.object({
  'idempotency-key': withDocs(
    z.optional(uuid),
    docText('Ignored by this operation: a repeated request is executed again. Must be a UUID.'),
  ),
});
