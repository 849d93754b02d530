import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLocalIssuer } from '../../../../infra/local/oidc/issuer.ts';
import { loadOrCreateSecrets } from '../../../../infra/local/runtime/secrets.ts';
import { openStateFolder } from '../../../../infra/local/runtime/state-folder.ts';

test('secrets are created once, in a file that only its owner can read; tokens have subject, audience and expiry', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-secrets-'));
  const state = await openStateFolder(folder, { reset: false });
  const secrets = loadOrCreateSecrets(state);
  expect(loadOrCreateSecrets(state)).toEqual(secrets);
  expect(secrets.values.leads).not.toBe(secrets.values.voiceWebhook);
  expect(statSync(join(folder, 'secrets.json')).mode & 0o077).toBe(0);
  const token = await createLocalIssuer(secrets).sign('ada', { expiresInSeconds: -60 });
  const [, payload = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  expect(claims).toMatchObject({ sub: 'ada', aud: 'tributary' });
  expect(claims.exp).toBeLessThan(Date.now() / 1000);
  state.release();
  await rm(folder, { recursive: true });
});

test('secrets of an earlier version are kept, and the missing master secret of webhooks is created once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-secrets-'));
  const state = await openStateFolder(folder, { reset: false });
  const { values, issuerKey } = loadOrCreateSecrets(state);
  const { webhooks: _missing, ...earlier } = values;
  state.write('secrets.json', JSON.stringify({ values: earlier, issuerKey }), 0o600);
  const completed = loadOrCreateSecrets(state);
  expect(completed).toEqual({ values: { ...earlier, webhooks: expect.stringMatching(/^[\w-]{43}$/) }, issuerKey });
  expect(loadOrCreateSecrets(state)).toEqual(completed);
  state.release();
  await rm(folder, { recursive: true });
});
