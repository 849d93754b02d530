import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BundleReport, REPORT_FILE } from '../bundles/bundle-report.ts';

/**
 * Writes a placeholder for a function's bundle, for a synthesis that does not need the code.
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
