import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const COPIED = [
  'functions',
  'infra',
  'shared',
  'web',
  'cdk.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];

export type CheckoutCopy = { root: string; remove(): Promise<void> };

/** Copies the product to a temporary folder, so that a test can change its sources. The packages are shared. */
export async function copyCheckout(): Promise<CheckoutCopy> {
  const root = await mkdtemp(join(tmpdir(), 'tributary-checkout-'));
  await Promise.all(COPIED.map((name) => cp(join(ROOT, name), join(root, name), { recursive: true })));
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}
