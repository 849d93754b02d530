import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** Builds the bundles of all functions in `dist`, unless they are current. */
export function buildBundles(): void {
  execFileSync(process.execPath, [join(ROOT, 'infra', 'bundles', 'bundle.ts'), '--quiet']);
}
