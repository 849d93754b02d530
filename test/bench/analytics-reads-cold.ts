import { performance } from 'node:perf_hooks';
import { readOverview } from '../../shared/analytics/queries/overview.ts';
import { FUNNEL, loadFunnel, portsOf, RANGE } from './analytics-reads-data.ts';

// Measures a process from its start to its first overview. The argument is the file that `saveFunnel` wrote.

const [path = ''] = process.argv.slice(2);
const { devices } = await readOverview(portsOf(loadFunnel(path)), FUNNEL, { range: RANGE, filters: {} });
const sessions = devices.reduce((sum, { total }) => sum + total, 0);
console.log(JSON.stringify({ ms: performance.now(), sessions }));
