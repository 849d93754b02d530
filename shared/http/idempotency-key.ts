import * as z from 'zod/mini';
import { described, doc } from './doc.ts';
import { uuid } from './schemas.ts';

/** The headers of an operation to which an Idempotency-Key means nothing: it is a UUID all the same, as everywhere. */
export const NeedlessIdempotencyKey = z.object({
  'idempotency-key': described(
    z.optional(uuid),
    doc('Has no effect here: a request that is sent again is done again. One that is no UUID is refused.'),
  ),
});
