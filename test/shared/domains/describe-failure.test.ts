import { expect, test } from 'vitest';
import { describeFailure } from '../../../shared/domains/describe-failure.ts';
import { UnavailableError } from '../../../shared/platform/unavailable.ts';

test('describeFailure returns the message of an UnavailableError, and no details of an unexpected error', () => {
  const unavailable = new UnavailableError('The domain cannot be read.', { retryAfterSeconds: 1, cause: undefined });
  expect(describeFailure(unavailable)).toBe('The domain cannot be read.');
  expect(describeFailure(new Error('arn:aws:secret'))).not.toContain('arn');
});
