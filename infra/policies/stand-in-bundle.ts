import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPORT } from '../bundles/bundle-files.ts';

/** Lays down what a synthesis needs of a function's bundle, where its code is no matter. @param folder of all bundles */
export function putStandInBundle(dist: string, id: string): void {
  const folder = join(dist, id);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.mjs'), `export const id = '${id}';`);
  writeFileSync(join(folder, REPORT), JSON.stringify({ outputs: { 'index.mjs': {} } }));
}
