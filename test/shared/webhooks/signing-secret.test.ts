import { expect, test } from 'vitest';
import { deriveSigningSecret } from '../../../shared/webhooks/signing-secret.ts';

test('returns 32 bytes in base64 after whsec_', () => {
  expect(deriveSigningSecret('master', 'endpoint', 1)).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});

test('the secret of an endpoint never changes, because customers have configured it', () => {
  expect(deriveSigningSecret('master', '0192f0c1-2b3c-7d4e-8f50-617283940a1b', 1)).toBe(
    'whsec_XzRwjhUo+d7DkJbUaZflmmShDK0eId3euCUox1Oy/vU=',
  );
});

test('each master secret, endpoint and generation has another secret', () => {
  const secrets = [
    deriveSigningSecret('master', 'endpoint', 1),
    deriveSigningSecret('other', 'endpoint', 1),
    deriveSigningSecret('master', 'endpoin', 1),
    deriveSigningSecret('master', 'endpoint', 2),
    deriveSigningSecret('master', 'endpoint', 11),
    deriveSigningSecret('master', 'endpoint,1', 1),
  ];
  expect(new Set(secrets).size).toBe(secrets.length);
});
