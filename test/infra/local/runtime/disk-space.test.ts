import { expect, test } from 'vitest';
import { UserError } from '../../../../infra/common/user-error.ts';
import { toStartError, toStateFolderError } from '../../../../infra/local/runtime/disk-space.ts';

const AMPLE_BYTES = 1e12;
const failure = (code: string, path?: string) => Object.assign(new Error(code), { code, ...(path && { path }) });

const FULL =
  'The state folder /state cannot be written: its disk is full. Free some space, or choose a folder on another disk with --state.';

test.each([
  ['ENOSPC', FULL],
  [
    'EROFS',
    'The state folder /state cannot be written: its file system is read-only. Choose another folder with --state.',
  ],
  [
    'EACCES',
    'The state folder /state cannot be written: this user has no write permission. ' +
      'Change its permissions, or choose another folder with --state.',
  ],
  [
    'ENOTDIR',
    'The state folder /state cannot be written: a part of its path is a file. Choose another folder with --state.',
  ],
])('the error for %s in the state folder has the reason and advice, but no error code', (code, message) => {
  expect(toStateFolderError(failure(code), '/state')).toMatchObject({ message });
  expect(toStartError(failure(code, '/state/demo.json'), '/state', AMPLE_BYTES)).toMatchObject({ message });
  expect(toStartError(failure(code, '/state'), '/state', AMPLE_BYTES)).toBeInstanceOf(UserError);
});

test.each([
  failure('EACCES', '/repo/node_modules/.cache/policies.json'),
  failure('EACCES', '/state-of-another/file'),
  failure('ENOSPC', '/tmp/file'),
  failure('EACCES'),
])('an error that does not concern the state folder is returned unchanged: %o', (error) => {
  expect(toStartError(error, '/state', AMPLE_BYTES)).toBe(error);
});

test('an ENOSPC error without a path is reported as an error of the state folder', () => {
  expect(toStartError(failure('ENOSPC'), '/state', AMPLE_BYTES)).toMatchObject({ message: FULL });
});

test('if the disk is full, a timeout is reported as a full disk; otherwise, the timeout is returned unchanged', () => {
  const timeout = failure('ETIMEDOUT');
  expect(toStartError(timeout, '/state', 1_000)).toMatchObject({
    message: expect.stringMatching(/^The disk of \/state has too little space: .*--state/),
  });
  expect(toStartError(timeout, '/state', AMPLE_BYTES)).toBe(timeout);
  expect(toStartError(timeout, '/state', undefined)).toBe(timeout);
});
