import * as z from 'zod/mini';
import { docText, withDocs } from '../../http/schema-docs.ts';
import { BROWSERS, DEVICE_TYPES, OPERATING_SYSTEMS } from '../../platform/device.ts';
import { normalizeDimension } from '../events/dimensions.ts';
import { referrerHostname } from '../events/referrer.ts';
import type { Dimension, Filters } from '../facts/criteria.ts';
import { FACT_DIMENSIONS } from '../facts/fact.ts';

const exact = z.optional(
  withDocs(
    z
      .pipe(z.string(), z.transform(normalizeDimension))
      .check(z.refine((value) => /^[^\0]+$/.test(value), 'must not be empty or contain NUL')),
    { minLength: 1 },
  ),
);

/**
 * The filters of the analytics operations. Each query parameter is named like the property of `Fact` that it filters.
 */
export const filterQuery = {
  // `referrerHostname` does not recognize a hostname without a dot. Such a value is only converted to lower case.
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

/** Picks the filters from the parameters of a query. */
export const toFilters = (query: Filters): Filters =>
  Object.fromEntries(FACT_DIMENSIONS.map((dimension) => [dimension, query[dimension]]));
