import { readOverview } from '../../../shared/analytics/queries/overview.ts';
import { type AnalyticsPorts, createAnalyticsEndpoint, createAwsAnalyticsPorts } from '../analytics-endpoint.ts';
import { overviewOperation } from './operation.ts';

export const createHandler = (ports: AnalyticsPorts) => createAnalyticsEndpoint(overviewOperation, ports, readOverview);

export const handler = createHandler(createAwsAnalyticsPorts(overviewOperation));
