import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BundleReport, REPORT_FILE } from '../bundles/bundle-report.ts';

/**
 * Writes a bundle that replaces a function's real bundle in a synthesis whose result doesn't depend on the code.
 *
 * @param dist folder of all bundles
 */
export function writePlaceholderBundle(dist: string, id: string): void {
  const folder = join(dist, id);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.mjs'), `export const id = '${id}';`);
  const report: BundleReport = { 'index.mjs': { bytes: 0, imports: [], dynamicImports: [], inputs: {} } };
  writeFileSync(join(folder, REPORT_FILE), JSON.stringify(report));
}
