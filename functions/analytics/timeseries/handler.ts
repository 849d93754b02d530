import { readTimeseries } from '../../../shared/analytics/reads/timeseries.ts';
import { type AnalyticsPorts, analyticsRead, deployedPorts } from '../analytics-read.ts';
import { timeseries } from './operation.ts';

export const createHandler = (ports: AnalyticsPorts) => analyticsRead(timeseries, ports, readTimeseries);

export const handler = createHandler(deployedPorts());
