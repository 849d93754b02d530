import * as z from 'zod/mini';
import { filterQuery } from './filters.ts';
import { granularityQuery, rangeQuery } from './range.ts';

/** The query that the analytics reads share. */
export const AnalyticsQuery = z.object({ ...rangeQuery, ...filterQuery });

export const TimeseriesQuery = z.extend(AnalyticsQuery, granularityQuery);

/** What a read is asked for; only a series has a granularity. */
export type AnalyticsQuery = z.output<typeof AnalyticsQuery> & Partial<z.output<typeof TimeseriesQuery>>;
