import * as z from 'zod/mini';
import { docText, withDocs } from './schema-docs.ts';
import { uuid } from './schemas.ts';

/** The headers of an operation to which an Idempotency-Key means nothing: it is a UUID all the same, as everywhere. */
export const IgnoredIdempotencyKeyHeaders = z.object({
  'idempotency-key': withDocs(
    z.optional(uuid),
    docText('Has no effect here: a request that is sent again is done again. One that is no UUID is refused.'),
  ),
});
