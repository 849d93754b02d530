import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createDuckDbBaseRewriter } from '../../shared/analytics/compaction/duckdb/duckdb-base-rewriter.ts';
import { runMajorCompactions } from '../../shared/analytics/compaction/major-compaction.ts';
import { EMPTY_MANIFEST } from '../../shared/analytics/facts/manifest.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { createMemoryManifests } from '../support/analytics/memory-manifests.ts';
import { FUNNEL, folderObjects, loadFunnel } from './analytics-reads-data.ts';

// Runs a major compaction in a separate process, to measure its memory. The argument is the file that `saveFunnel`
// wrote.

const [path = ''] = process.argv.slice(2);
const { folder, files } = loadFunnel(path);
const manifests = createMemoryManifests();
await manifests.replaceIfUnchanged(FUNNEL, EMPTY_MANIFEST, { ...EMPTY_MANIFEST, files });
const rewriter = createDuckDbBaseRewriter(folderObjects(join(folder, 'objects')), { folder: join(folder, 'bases') });
const start = performance.now();
const [done] = await runMajorCompactions({ manifests, rewriter, clock: systemClock }, { isDue: () => true });
const seconds = (performance.now() - start) / 1_000;
if (done?.outcome !== 'compacted') throw new Error('The funnel was not compacted.', { cause: done });
const { files: made } = await manifests.read(FUNNEL);
const kilobytes = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
console.log(
  JSON.stringify({
    seconds,
    residentBytes: kilobytes * 1_024,
    sessions: made.reduce((sum, { factCount }) => sum + factCount, 0),
    bytes: made.reduce((sum, { bytes }) => sum + bytes, 0),
  }),
);
