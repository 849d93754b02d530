import { describe, expect, test } from 'vitest';
import { currentSecret, PREVIOUS_SECRET_HOURS, signingSecrets } from '../../../shared/webhooks/endpoint-secrets.ts';
import { deriveSigningSecret } from '../../../shared/webhooks/signing-secret.ts';
import { anEndpoint, isoAt, MASTER_SECRET, NOON } from '../../support/webhooks/endpoints.ts';

const secretOf = (id: string, generation: string) => deriveSigningSecret(MASTER_SECRET, id, generation);

test('an endpoint whose secret was never rotated has one signing secret', () => {
  const endpoint = anEndpoint();
  expect(signingSecrets(MASTER_SECRET, endpoint, NOON)).toEqual([secretOf(endpoint.id, endpoint.secretGeneration)]);
});

describe('after a rotation, messages are signed with', () => {
  const rotated = anEndpoint({
    secretGeneration: 'new',
    previousSecretGeneration: 'previous',
    secretRotatedAt: isoAt(NOON),
  });
  const dayMs = PREVIOUS_SECRET_HOURS * 3_600_000;

  test.each([0, dayMs - 1])('the new and the previous secret, if %d ms have passed', (ms) => {
    expect(signingSecrets(MASTER_SECRET, rotated, NOON + ms)).toEqual([
      secretOf(rotated.id, 'new'),
      secretOf(rotated.id, 'previous'),
    ]);
  });

  test('only the new secret, if a day has passed', () => {
    expect(signingSecrets(MASTER_SECRET, rotated, NOON + dayMs)).toEqual([currentSecret(MASTER_SECRET, rotated)]);
  });
});
