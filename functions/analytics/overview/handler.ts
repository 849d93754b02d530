import { readOverview } from '../../../shared/analytics/reads/overview.ts';
import { type AnalyticsPorts, analyticsRead, deployedPorts } from '../analytics-read.ts';
import { overview } from './operation.ts';

export const createHandler = (ports: AnalyticsPorts) => analyticsRead(overview, ports, readOverview);

export const handler = createHandler(deployedPorts());
