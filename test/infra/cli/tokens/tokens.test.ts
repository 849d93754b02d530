import { createPublicKey, verify } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ISSUER } from '../../../../infra/local/oidc/issuer.ts';
import { loadOrCreateSecrets } from '../../../../infra/local/runtime/secrets.ts';
import { openStateFolder } from '../../../../infra/local/runtime/state-folder.ts';
import { deriveUserId } from '../../../../shared/organizations/user-id.ts';
import { admin } from '../../../support/cli/admin.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-tokens-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function aKey() {
  const state = await openStateFolder(folder, { reset: false });
  const { issuerKey } = loadOrCreateSecrets(state);
  state.release();
  return createPublicKey({ key: issuerKey, format: 'jwk' });
}

const issue = (...args: string[]) => admin(['--state', folder, 'tokens', 'issue', ...args]);
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

describe('tokens issue', () => {
  test('prints the signed token to stdout, and the user id to stderr', async () => {
    const key = await aKey();
    const { code, out, err } = await issue('--subject', 'kim', '--hours', '2');
    expect([code, out]).toEqual([0, expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)]);
    const [head = '', payload = '', signature = ''] = out.trim().split('.');
    expect(verify('sha256', Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url'))).toBe(true);
    const { exp, iat, ...claims } = claimsOf(out);
    expect([exp - iat, claims]).toEqual([7_200, expect.objectContaining({ iss: ISSUER, sub: 'kim' })]);
    expect(err).toContain(`For kim, user ${deriveUserId(ISSUER, 'kim')}; expires at `);
    expect(err).not.toContain(out.trim());
  });

  test('--json prints the token, the user id and the expiry', async () => {
    await aKey();
    const { token, expiresAt, userId } = JSON.parse((await issue('--subject', 'kim', '--json')).out);
    expect(userId).toBe(deriveUserId(ISSUER, 'kim'));
    expect(Math.abs(Date.parse(expiresAt) / 1_000 - claimsOf(token).exp)).toBeLessThan(2);
  });

  test.each([
    [[], "required option '--subject <sub>' not specified"],
    [['--subject', ''], 'Give the `sub` claim of the tokens'],
    [['--subject', 'kim', '--hours', '0'], 'Give a number from 1 to 8760.'],
    [['--subject', 'kim', '--hours', 'two'], 'Give a number from 1 to 8760.'],
    [['--subject', 'kim', '--hour', '2'], 'Did you mean --hours?'],
  ])('2: the options %j are rejected with a message, and no token is printed', async (args, sentence) => {
    await aKey();
    const { code, out, err } = await issue(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(sentence);
  });

  test('2: for a stage, explains where users get tokens, and does not connect to the stage', async () => {
    const connect = () => Promise.reject(new Error('connected'));
    const result = await admin(['tokens', 'issue', '--subject', 'kim', '--stage', 'prod'], { connect });
    expect(result).toEqual({
      code: 2,
      out: '',
      err: expect.stringContaining('In a deployment, users sign in at the token issuer'),
    });
  });

  test('1: names the secrets file if it is missing or has no signing key', async () => {
    const file = join(folder, 'secrets.json');
    expect(await issue('--subject', 'kim')).toEqual({ code: 1, out: '', err: `${file} does not exist.\n` });
    await writeFile(file, '{}');
    expect(await issue('--subject', 'kim')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining(`${file} holds no valid signing key`),
    });
  });
});
