import { type BundleReport, filesAtStart, filesFromEntry } from './bundle-report.ts';

const KB = 1000;

/**
 * The budgets of a minified bundle in bytes. `bytesMax` limits the whole bundle, with packages (an SDK client, middy,
 * zod) and code behind an `import()`. `ownBytesMax` limits the code of this repository that a cold start evaluates.
 */
const BUDGETS = {
  plain: { bytesMax: 600 * KB, ownBytesMax: 31 * KB },
  withS3: { bytesMax: 700 * KB, ownBytesMax: 36 * KB },
} as const;
/** `ownBytesMax` of background functions. It is higher, because no user waits for their cold starts. */
const BACKGROUND_OWN_BYTES_MAX = 56 * KB;

export type BundleSize = {
  id: string;
  /** Size of all deployed files. */
  bytes: number;
  /** The part of `bytes` that a cold start reads and compiles. */
  startBytes: number;
  /** The part of `startBytes` that does not come from a package. */
  ownBytes: number;
  bytesMax: number;
  ownBytesMax: number;
  /** Bytes of each package and of each own file, the largest first. If `own` is true, `ownBytes` includes them. */
  inputs: readonly { name: string; bytes: number; own: boolean }[];
};

const PACKAGE = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\/.*$/;

export function measureBundle(id: string, report: BundleReport): BundleSize {
  const files = [...filesFromEntry(report)].flatMap((name) => report[name] ?? []);
  const start = [...filesAtStart(report)].flatMap((name) => report[name] ?? []);
  const bytesOf = new Map<string, { bytes: number; own: boolean }>();
  for (const file of files) {
    for (const [path, bytes] of Object.entries(file.inputs)) {
      const name = path.replace(PACKAGE, '$1');
      const own = name === path && start.includes(file);
      bytesOf.set(name, { bytes: (bytesOf.get(name)?.bytes ?? 0) + bytes, own });
    }
  }
  const inputs = [...bytesOf].map(([name, input]) => ({ name, ...input })).sort((a, b) => b.bytes - a.bytes);
  const ownBytes = sum(inputs.map(({ bytes, own }) => (own ? bytes : 0)));
  const budget = BUDGETS[bytesOf.has('@aws-sdk/client-s3') ? 'withS3' : 'plain'];
  const ownBytesMax = id.startsWith('background/') ? BACKGROUND_OWN_BYTES_MAX : budget.ownBytesMax;
  const bytes = sum(files.map((file) => file.bytes));
  const startBytes = sum(start.map((file) => file.bytes));
  return { id, bytes, startBytes, ownBytes, ...budget, ownBytesMax, inputs };
}

const sum = (figures: readonly number[]): number => figures.reduce((total, figure) => total + figure, 0);

/** Returns one message per exceeded budget. A message names the six largest inputs that count towards the budget. */
export function sizeViolations(size: BundleSize): string[] {
  const violations: string[] = [];
  if (size.bytes > size.bytesMax)
    violations.push(
      `${size.id} has ${kb(size.bytes)} KB, more than its budget of ${kb(size.bytesMax)} KB. ` +
        `Largest: ${list(size.inputs)}.`,
    );
  if (size.ownBytes > size.ownBytesMax)
    violations.push(
      `${size.id} evaluates ${kb(size.ownBytes)} KB of own code at a cold start, more than its budget of ` +
        `${kb(size.ownBytesMax)} KB. Largest: ${list(size.inputs.filter(({ own }) => own))}.`,
    );
  return violations;
}

export function sizeTable(sizes: readonly BundleSize[]): string {
  const width = Math.max(...sizes.map(({ id }) => id.length));
  return sizes
    .map(({ id, bytes, bytesMax, startBytes, ownBytes, ownBytesMax }) => {
      const whole = `${kb(bytes).padStart(6)} KB of ${kb(bytesMax)}   at its start ${kb(startBytes).padStart(5)} KB`;
      return `${id.padEnd(width)}  ${whole}   own ${kb(ownBytes).padStart(5)} KB of ${kb(ownBytesMax)}`;
    })
    .join('\n');
}

const kb = (bytes: number): string => (bytes / KB).toFixed(1);

const list = (inputs: BundleSize['inputs']): string =>
  inputs
    .slice(0, 6)
    .map(({ name, bytes }) => `${name} ${kb(bytes)} KB`)
    .join(', ');

/** A script that browsers load. Sizes are those of the script after compression with gzip at level 9. */
export type ScriptSize = { id: string; gzipBytes: number; gzipBytesMax: number };

export const scriptSizeTable = (sizes: readonly ScriptSize[]): string =>
  sizes.map(({ id, gzipBytes, gzipBytesMax }) => `${id}  ${kb(gzipBytes)} KB of ${kb(gzipBytesMax)} (gzip)`).join('\n');

/** Returns one message per exceeded budget. */
export const scriptSizeViolations = (sizes: readonly ScriptSize[]): string[] =>
  sizes
    .filter(({ gzipBytes, gzipBytesMax }) => gzipBytes > gzipBytesMax)
    .map(
      ({ id, gzipBytes, gzipBytesMax }) =>
        `${id} has ${gzipBytes} bytes with gzip, more than its budget of ${gzipBytesMax} bytes.`,
    );
