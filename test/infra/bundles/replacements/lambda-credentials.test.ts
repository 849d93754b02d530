import { afterEach, expect, test, vi } from 'vitest';
import { defaultProvider } from '../../../../infra/bundles/replacements/lambda-credentials.ts';
import { fromEnvSigningName, nodeProvider } from '../../../../infra/bundles/replacements/lambda-tokens.ts';

afterEach(() => vi.unstubAllEnvs());

test('a bundle signs requests with the credentials of its environment', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'an example');
  vi.stubEnv('AWS_SESSION_TOKEN', 'a session');
  const provide = defaultProvider();
  expect(await provide()).toEqual({
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'an example',
    sessionToken: 'a session',
  });

  vi.stubEnv('AWS_SESSION_TOKEN', undefined);
  expect(await provide()).toEqual({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'an example' });
});

test('missing credentials are an error, and no other source is used', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
  await expect(defaultProvider()()).rejects.toThrow('AWS_ACCESS_KEY_ID');
});

test('a bundle sends no bearer token, even if its environment contains one', async () => {
  vi.stubEnv('AWS_BEARER_TOKEN_BEDROCK', 'an example');
  await expect(fromEnvSigningName()()).rejects.toThrow('no bearer tokens');
  await expect(nodeProvider()()).rejects.toThrow('no bearer tokens');
});
