import { readAcquisition } from '../../../shared/analytics/queries/acquisition.ts';
import { type AnalyticsPorts, createAnalyticsEndpoint, createAwsAnalyticsPorts } from '../analytics-endpoint.ts';
import { acquisitionOperation } from './operation.ts';

export const createHandler = (ports: AnalyticsPorts) =>
  createAnalyticsEndpoint(acquisitionOperation, ports, readAcquisition);

export const handler = createHandler(createAwsAnalyticsPorts(acquisitionOperation));
