import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { analyseCall, type CallToAnalyse } from '../../shared/training/analysis/analyse-call.ts';

/** A process of its own, which analyses one call; its argument is where the call was saved. */
const [path = ''] = process.argv.slice(2);
const call: CallToAnalyse = JSON.parse(readFileSync(path, 'utf8'));
const start = performance.now();
const { score } = analyseCall(call);
const ms = performance.now() - start;
console.log(JSON.stringify({ ms, residentBytes: mostResident(), total: score.total }));

/** Not `resourceUsage`: its most is also that of whoever started the process. */
function mostResident(): number {
  const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
