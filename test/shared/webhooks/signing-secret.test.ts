import { expect, test } from 'vitest';
import { deriveSigningSecret } from '../../../shared/webhooks/signing-secret.ts';

test('a signing secret is whsec_ and 32 bytes in base64', () => {
  expect(deriveSigningSecret('master', 'endpoint', 'first')).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});

test('the derivation of signing secrets never changes, because receivers have stored the secrets', () => {
  expect(
    deriveSigningSecret('master', '0192f0c1-2b3c-7d4e-8f50-617283940a1b', '5d0b1c52-8b1e-4b57-9f0e-1f6a3c2d4e5f'),
  ).toBe('whsec_swBalGqrZs7T14KFhRVj9/c5s/rcLw15engcaf5ldfE=');
});

test('different master secrets, endpoints or secret generations result in different signing secrets', () => {
  const secrets = [
    deriveSigningSecret('master', 'endpoint', 'first'),
    deriveSigningSecret('other', 'endpoint', 'first'),
    deriveSigningSecret('master', 'endpoin', 'first'),
    deriveSigningSecret('master', 'endpoint', 'second'),
    deriveSigningSecret('master', 'endpoint', 'firs'),
    deriveSigningSecret('master', 'endpoint","first', 'first'),
  ];
  expect(new Set(secrets).size).toBe(secrets.length);
});
