import { expect, test } from 'vitest';
import { failureReason } from '../../../shared/domains/failure-reason.ts';
import { UnavailableError } from '../../../shared/platform/unavailable.ts';

test('shows the public message of an unavailable dependency, and no details of an unexpected error', () => {
  const unavailable = new UnavailableError('The domain cannot be read.', { retryAfterSeconds: 1, cause: undefined });
  expect(failureReason(unavailable)).toBe('The domain cannot be read.');
  expect(failureReason(new Error('arn:aws:secret'))).not.toContain('arn');
});
