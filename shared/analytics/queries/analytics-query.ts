import * as z from 'zod/mini';
import { filterQuery } from './filters.ts';
import { granularityQuery, rangeQuery } from './range.ts';

export const AnalyticsQuery = z.object({ ...rangeQuery, ...filterQuery });

export const TimeseriesQuery = z.extend(AnalyticsQuery, granularityQuery);

/** The query of any analytics operation. Only the timeseries has a granularity. */
export type AnyAnalyticsQuery = z.output<typeof AnalyticsQuery> & Partial<z.output<typeof TimeseriesQuery>>;
