import * as z from 'zod';
import { doc } from '../../http/doc.ts';
import { withoutByteOrderMark } from '../events/byte-order-mark.ts';
import { BROWSERS, DEVICE_TYPES, OPERATING_SYSTEMS } from '../events/dimensions.ts';
import { hostOf } from '../events/referrer.ts';
import { FACT_DIMENSIONS, type Fact } from '../facts/fact.ts';

const exact = z
  .string()
  .transform(withoutByteOrderMark)
  .refine((value) => /^[^\0]+$/.test(value), 'must not be empty or contain NUL')
  .meta({ minLength: 1 })
  .optional();

/** The filters of the analytics reads, by query name; a name is also the fact's property it looks at. */
export const filterQuery = {
  // A name without a dot has no host, but may be one; what is none matches nothing.
  referrer: exact
    .transform((value) => value && (hostOf(value) || value.toLowerCase()))
    .describe(doc('Host of the referring page (or its address), or `direct`.')),
  utmSource: exact,
  utmMedium: exact,
  utmCampaign: exact,
  utmTerm: exact,
  utmContent: exact,
  deviceType: z.enum(DEVICE_TYPES).optional(),
  browser: z.enum(BROWSERS).optional(),
  os: z.enum(OPERATING_SYSTEMS).optional(),
} satisfies Record<Dimension, z.ZodType>;

export type Dimension = (typeof FACT_DIMENSIONS)[number];

/** What a session must equal, all of it. */
export type Filters = { [dimension in Dimension]?: string | undefined };

/** Milliseconds since the epoch: `sinceMs` inclusive, `untilMs` exclusive. */
export type Bounds = { sinceMs: number; untilMs: number };

/** Which sessions a read counts: applied only after a session's facts are merged. */
export type Selection = Bounds & { filters: Filters };

export function passes(fact: Fact, { sinceMs, untilMs, filters }: Selection): boolean {
  if (fact.timeMs < sinceMs || fact.timeMs >= untilMs) return false;
  return FACT_DIMENSIONS.every((name) => filters[name] === undefined || fact[name] === filters[name]);
}
