import * as z from 'zod/mini';
import { filterQuery } from './filters.ts';
import { granularityQuery, rangeQuery } from './range.ts';

export const AnalyticsQuery = z.object({ ...rangeQuery, ...filterQuery });

export const TimeseriesQuery = z.extend(AnalyticsQuery, granularityQuery);

/** Only the timeseries has a granularity. */
export type AnalyticsQuery = z.output<typeof AnalyticsQuery> & Partial<z.output<typeof TimeseriesQuery>>;
