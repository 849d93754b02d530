import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { analyseTranscript, type CallToAnalyse } from '../../shared/training/analysis/analyse-transcript.ts';

// Analyses one call in a separate process. The argument is the path of the saved call.

const [path = ''] = process.argv.slice(2);
const call: CallToAnalyse = JSON.parse(readFileSync(path, 'utf8'));
const start = performance.now();
const { score } = analyseTranscript(call);
const ms = performance.now() - start;
console.log(JSON.stringify({ ms, residentBytes: mostResident(), total: score.total }));

/** Maximum resident memory in bytes. `process.resourceUsage` would include the maximum of the parent process. */
function mostResident(): number {
  const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
