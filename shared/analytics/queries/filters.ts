import * as z from 'zod/mini';
import { docText, withDocs } from '../../http/schema-docs.ts';
import { BROWSERS, DEVICE_TYPES, OPERATING_SYSTEMS } from '../../platform/device.ts';
import { FACT_DIMENSIONS, type Fact } from '../facts/fact.ts';
import { normalizeDimension } from '../ingest/dimensions.ts';
import { referrerHostname } from '../ingest/referrer.ts';

const exact = z.optional(
  withDocs(
    z
      .pipe(z.string(), z.transform(normalizeDimension))
      .check(z.refine((value) => /^[^\0]+$/.test(value), 'must not be empty or contain NUL')),
    { minLength: 1 },
  ),
);

/** The filters of the analytics operations. A parameter has the name of the fact's property. */
export const filterQuery = {
  // A name without a dot is not recognised as a hostname, but may be one.
  referrer: withDocs(
    z.pipe(
      exact,
      z.transform((value) => value && (referrerHostname(value) || value.toLowerCase())),
    ),
    docText('Host of the referring page (or its address), or `direct`.'),
  ),
  utmSource: exact,
  utmMedium: exact,
  utmCampaign: exact,
  utmTerm: exact,
  utmContent: exact,
  deviceType: z.optional(z.enum(DEVICE_TYPES)),
  browser: z.optional(z.enum(BROWSERS)),
  os: z.optional(z.enum(OPERATING_SYSTEMS)),
} satisfies Record<Dimension, z.ZodMiniType>;

export type Dimension = (typeof FACT_DIMENSIONS)[number];

/** Values that a session must have. */
export type Filters = { [dimension in Dimension]?: string | undefined };

/** A time range in milliseconds since the epoch: `sinceMs` inclusive, `untilMs` exclusive. */
export type TimeBounds = { sinceMs: number; untilMs: number };

/** Which sessions a query counts. Apply it only to merged facts. */
export type Selection = TimeBounds & { filters: Filters };

export function matchesSelection(fact: Fact, { sinceMs, untilMs, filters }: Selection): boolean {
  if (fact.timeMs < sinceMs || fact.timeMs >= untilMs) return false;
  return FACT_DIMENSIONS.every((name) => filters[name] === undefined || fact[name] === filters[name]);
}
