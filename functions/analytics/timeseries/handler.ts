import { readTimeseries } from '../../../shared/analytics/queries/timeseries.ts';
import { type AnalyticsPorts, createAnalyticsEndpoint, createAwsAnalyticsPorts } from '../analytics-endpoint.ts';
import { timeseriesOperation } from './operation.ts';

export const createHandler = (ports: AnalyticsPorts) =>
  createAnalyticsEndpoint(timeseriesOperation, ports, readTimeseries);

export const handler = createHandler(createAwsAnalyticsPorts(timeseriesOperation));
