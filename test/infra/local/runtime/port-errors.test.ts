import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { UserError } from '../../../../infra/common/user-error.ts';
import { toPortError } from '../../../../infra/local/runtime/port-errors.ts';
import { freePort } from '../../../support/free-port.ts';

test('the error of a used port names the port, its purpose and the option for another port', () => {
  const inUse = Object.assign(new Error('in use'), { code: 'EADDRINUSE' });
  const apiError = toPortError(inUse, 'api', 3000);
  expect(apiError).toBeInstanceOf(UserError);
  expect(apiError).toMatchObject({
    message: expect.stringMatching(/^Port 3000, for the API, is used by .* --port 8080\./),
  });
  expect(toPortError(inUse, 'pages', 3001)).toMatchObject({
    message: expect.stringMatching(/^Port 3001, for the pages \(the API's port \+ 1\), is used by .* --port 8080\./),
  });
  expect(toPortError(inUse, 'webhookReceiver', 8082)).toMatchObject({
    message: expect.stringMatching(/^Port 8082, for the webhook receiver \(the API's port \+ 2\), .* --port 8090\./),
  });
  const other = new Error('other');
  expect(toPortError(other, 'api', 3000)).toBe(other);
});

test.each([
  ['pages', 1],
  ['webhook receiver', 2],
])(
  '1: `npm start` names the port of the %s if another program uses this port',
  async (server, offset) => {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-ports-'));
    const port = await freePort();
    const other = createServer().listen(port + offset, '127.0.0.1');
    await once(other, 'listening');
    const start = join(import.meta.dirname, '../../../../infra/local/start.ts');
    const started = promisify(execFile)(process.execPath, [start, '--port', String(port), '--state', folder]);
    await expect(started).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        new RegExp(`^Port ${port + offset}, for the ${server} .* is used by .*--port \\d+`),
      ),
    });
    other.close();
    await rm(folder, { recursive: true });
  },
  60_000,
);
