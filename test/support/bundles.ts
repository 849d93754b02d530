import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** Builds the bundles of all functions to `dist`, unless they are up to date. */
export function ensureBundles(): void {
  execFileSync(process.execPath, [join(ROOT, 'infra', 'bundles', 'bundle.ts'), '--quiet']);
}
