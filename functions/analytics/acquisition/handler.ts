import { readAcquisition } from '../../../shared/analytics/reads/acquisition.ts';
import { type AnalyticsPorts, analyticsRead, deployedPorts } from '../analytics-read.ts';
import { acquisition } from './operation.ts';

export const createHandler = (ports: AnalyticsPorts) => analyticsRead(acquisition, ports, readAcquisition);

export const handler = createHandler(deployedPorts());
