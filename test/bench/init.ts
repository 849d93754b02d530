import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { backgroundFunctions, operations } from '../../functions/declarations.ts';
import { bundleFunction } from '../../infra/bundles/bundle.ts';
import { filesAtStart, readReport } from '../../infra/bundles/bundle-report.ts';
import { median, type Row, row } from './table.ts';

/** With this number of pairs, the median differs by about 2 % between runs. */
const PAIRS = 61;
const RATIO_MAX = 1.25;

/**
 * Imports a bundle as Lambda does and prints the CPU time of the thread in milliseconds, because elapsed time would
 * include other processes.
 */
const MEASURE = `globalThis.awslambda = { streamifyResponse: (handler) => handler, HttpResponseStream: {} };
const before = process.threadCpuUsage();
await import(process.argv[1]);
const { user, system } = process.threadCpuUsage(before);
console.log((user + system) / 1_000);`;

/**
 * Code that creates an SDK client, by the suffix of the client's name. The empty handler only imports commands, because
 * handlers create no commands at their start.
 */
const HELD = [
  ['DocumentClient', (name: string) => `${name}.from(new DynamoDBClient({}))`],
  ['Client', (name: string) => `new ${name}({})`],
] as const;

/** Path of an SDK module that exports a client or a command. */
const NAMED = /node_modules\/(@aws-sdk\/(?:client|lib)-[\w-]+)\/dist-es\/(?:commands\/)?(\w+(?:Client|Command))\.js$/;

/**
 * Compares the init of each function's bundle with the init of an empty handler with the same clients and commands of
 * the SDK. Measures pairs: one init directly after the other, each in its own process. The result is the median of the
 * ratios, because a slow phase of the machine affects both inits of a pair.
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
    rows.push(row(`init ${id}: ratio to an empty handler`, ratio, RATIO_MAX, '', 'at most'));
  }
  await rm(folder, { recursive: true });
  return rows;
}

/** @param first whether the function's bundle is measured first */
function initsOf(bundle: string, emptyBundle: string, first: boolean): { ours: number; empty: number } {
  const [one, other] = first ? [bundle, emptyBundle] : [emptyBundle, bundle];
  const [oneMs, otherMs] = [initMs(one), initMs(other)];
  return first ? { ours: oneMs, empty: otherMs } : { ours: otherMs, empty: oneMs };
}

/** Measures `cdk synth` with existing bundles. */
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

/** Returns the names of the SDK clients and commands that a bundle evaluates at its start, with their packages. */
function sdkIn(id: string): ReadonlyMap<string, string> {
  const report = readReport(join('dist', id));
  const modules = [...filesAtStart(report)].flatMap((file) => Object.keys(report[file]?.inputs ?? {}));
  const named = modules.sort().flatMap((path) => {
    const [, from, name] = NAMED.exec(path) ?? [];
    return from === undefined || name === undefined ? [] : [[name, from] as const];
  });
  // Commands such as `QueryCommand` exist in the client and in the document client. The map keeps the command of the
  // document client, which wraps the other command.
  return new Map(named);
}

const known = new Map<string, string>();

/**
 * Bundles an empty handler that imports the exports in `sdk`, and returns the path of the bundle.
 *
 * @param sdk package of each export, by the name of the export
 */
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
