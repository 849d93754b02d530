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

/** Synthesizes the app. In the result, `hashes` contains a hash of each template and asset manifest, by file name. */
function synthesizeHashed(context: Record<string, string>) {
  const { assembly } = synthesize(context);
  const names = readdirSync(assembly.directory).filter((name) => /\.(?:template|assets)\.json$/.test(name));
  const hashOf = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(assembly.directory, name)))
      .digest('hex');
  return { assembly, hashes: Object.fromEntries(names.map((name) => [name, hashOf(name)])) };
}

test.each(['dev', 'prod'] as const)(
  '%s: two syntheses with the same settings write the same bytes, and need no account, no region and no network',
  (stage) => {
    const context = contextOf(stage, 'with Bedrock and the user pool');
    const { assembly, hashes } = synthesizeHashed(context);
    expect(Object.keys(hashes).length).toBeGreaterThan(4);
    expect(synthesizeHashed(context).hashes).toEqual(hashes);
    expect(assembly.stacks.map(({ environment: { account, region } }) => `${account} ${region}`)).toEqual(
      assembly.stacks.map(() => 'unknown-account unknown-region'),
    );
    // `missing` lists values that the CLI would have to look up in an account.
    expect(assembly.manifest.missing ?? []).toEqual([]);
    expect(connect).not.toHaveBeenCalled();
  },
);
