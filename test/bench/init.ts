import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { backgroundFunctions, operations } from '../../functions/declarations.ts';
import { bundleFunction } from '../../infra/bundles/bundle.ts';
import { filesAtStart, readReport } from '../../infra/bundles/bundle-report.ts';
import { median, type Row, row } from './table.ts';

/** With this many, the median differs by 2 % between runs. */
const PAIRS = 61;
const RATIO_MAX = 1.25;

/**
 * Imports a bundle as Lambda does and prints how long its thread was at work, in milliseconds: an init waits for
 * nothing but its processor, and on a busy machine the wall clock would measure other processes.
 */
const MEASURE = `globalThis.awslambda = { streamifyResponse: (handler) => handler, HttpResponseStream: {} };
const before = process.threadCpuUsage();
await import(process.argv[1]);
const { user, system } = process.threadCpuUsage(before);
console.log((user + system) / 1_000);`;

/** What a handler uses of each import: a client, created outside of the handler, or a command. */
const HELD = [
  ['DocumentClient', (name: string) => `${name}.from(new DynamoDBClient({}))`],
  ['Client', (name: string) => `new ${name}({})`],
] as const;

/** SDK modules that a handler imports: a client or a command. */
const NAMED = /node_modules\/(@aws-sdk\/(?:client|lib)-[\w-]+)\/dist-es\/(?:commands\/)?(\w+(?:Client|Command))\.js$/;

/**
 * How long each function's bundle takes from the start of its import to its handler, beside that of an empty handler
 * that holds the same clients and commands of the SDK, bundled by the same settings. The two are measured one right
 * after the other, each in a process of its own, and the median of the pairs' ratios counts: a machine that is slow for
 * a while is slow for both of a pair.
 */
export async function inits(log: (line: string) => void): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-init-'));
  const rows: Row[] = [];
  for (const { id } of [...operations, ...backgroundFunctions]) {
    const empty = await emptyHandler(sdkIn(id), folder);
    const pairs = Array.from({ length: PAIRS }, (_, at) => initsOf(bundleOf(id), empty, at % 2 === 0));
    const [ours, theirs] = [median(pairs.map((pair) => pair.ours)), median(pairs.map((pair) => pair.empty))];
    log(`init of ${id}: ${ours.toFixed(1)} ms; empty handler: ${theirs.toFixed(1)} ms`);
    const ratio = median(pairs.map((pair) => pair.ours / pair.empty));
    rows.push(row(`init ${id}: of an empty handler's`, ratio, RATIO_MAX, '', 'at most'));
  }
  await rm(folder, { recursive: true });
  return rows;
}

/** @param first whether ours is measured first */
function initsOf(bundle: string, emptyBundle: string, first: boolean): { ours: number; empty: number } {
  const [one, other] = first ? [bundle, emptyBundle] : [emptyBundle, bundle];
  const [oneMs, otherMs] = [initMs(one), initMs(other)];
  return first ? { ours: oneMs, empty: otherMs } : { ours: otherMs, empty: oneMs };
}

/** `cdk synth` with existing bundles. */
export function synthesis(): Row {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-synth-'));
  const start = performance.now();
  execFileSync('npx', ['cdk', 'synth', '--quiet', '--output', folder], { stdio: 'ignore' });
  const seconds = (performance.now() - start) / 1_000;
  rmSync(folder, { recursive: true });
  return row('cdk synth', seconds, 30, 's', 'at most');
}

const bundleOf = (id: string): string => resolve('dist', id, 'index.mjs');

const initMs = (bundle: string): number =>
  Number(
    execFileSync(process.execPath, ['--input-type=module', '--eval', MEASURE, bundle], {
      encoding: 'utf8',
      env: { ...process.env, AWS_REGION: 'eu-central-1' },
    }),
  );

/** The SDK clients and commands that a function's bundle evaluates at its start, by package. */
function sdkIn(id: string): ReadonlyMap<string, string> {
  const report = readReport(join('dist', id));
  const modules = [...filesAtStart(report)].flatMap((file) => Object.keys(report[file]?.inputs ?? {}));
  const named = modules.sort().flatMap((path) => {
    const [, from, name] = NAMED.exec(path) ?? [];
    return from === undefined || name === undefined ? [] : [[name, from] as const];
  });
  // A command of the document client brings that of the same name which it wraps.
  return new Map(named);
}

const known = new Map<string, string>();

/** Bundles an empty handler with these imports. @param sdk exports by package */
async function emptyHandler(sdk: ReadonlyMap<string, string>, folder: string): Promise<string> {
  const held = [...sdk.keys()].map((name) => HELD.find(([end]) => name.endsWith(end))?.[1](name) ?? name);
  const source = [
    ...[...sdk].map(([name, from]) => `import { ${name} } from '${from}';`),
    `const held = [${held.join(', ')}];`,
    'export const handler = async () => held.length;',
  ].join('\n');
  const made = known.get(source);
  if (made !== undefined) return made;
  const name = `empty-${known.size}`;
  const handler = join('dist', `bench-${name}.ts`);
  await writeFile(handler, source);
  await bundleFunction(name, handler, join(folder, name));
  await rm(handler);
  const bundle = join(folder, name, 'index.mjs');
  known.set(source, bundle);
  return bundle;
}
