import * as z from 'zod';
import { doc } from '../../http/doc.ts';
import { filterQuery } from './filters.ts';
import { rangeQuery } from './range.ts';

/** The query that the three analytics reads share. */
export const AnalyticsQuery = z.object({
  ...rangeQuery,
  ...filterQuery,
  granularity: z.enum(['hour', 'day', 'week']).optional().describe(doc('For timeseries; the other reads ignore it.')),
});
