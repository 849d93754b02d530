import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { synthesize } from '../../../support/stacks.ts';
import { contextOf } from './deployments.ts';

const ACCOUNT = /^(?:AWS_|CDK_DEFAULT_)/;
const connect = vi.spyOn(net.Socket.prototype, 'connect');

beforeEach(() => {
  for (const name of Object.keys(process.env)) if (ACCOUNT.test(name)) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  connect.mockClear();
});

/** Synthesizes the app and returns the hashes of its templates and asset manifests by file name. */
function written(context: Record<string, string>): Record<string, string> {
  const { directory } = synthesize(context).assembly;
  const names = readdirSync(directory).filter((name) => /\.(?:template|assets)\.json$/.test(name));
  const hashOf = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(directory, name)))
      .digest('hex');
  return Object.fromEntries(names.map((name) => [name, hashOf(name)]));
}

test.each(['dev', 'prod'] as const)('%s: two syntheses with the same settings write the same bytes', (stage) => {
  const context = contextOf(stage, 'with Bedrock and the user pool');
  const first = written(context);
  expect(Object.keys(first).length).toBeGreaterThan(4);
  expect(written(context)).toEqual(first);
});

test('synthesis needs no account, no region and no network', () => {
  const { assembly } = synthesize(contextOf('prod', 'with Bedrock and the user pool'));
  expect(assembly.stacks.map(({ environment: { account, region } }) => `${account} ${region}`)).toEqual(
    assembly.stacks.map(() => 'unknown-account unknown-region'),
  );
  // `missing` lists values that the CLI would have to look up in an account.
  expect(assembly.manifest.missing ?? []).toEqual([]);
  expect(connect).not.toHaveBeenCalled();
});
