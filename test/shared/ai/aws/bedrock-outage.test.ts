import { expect, test, vi } from 'vitest';
import { freePort } from '../../../support/free-port.ts';
import { bedrock, readModelResponse } from '../../../support/text-models.ts';

test('the error of the Bedrock adapter for an unreachable server is not billable', async () => {
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  vi.stubEnv('AWS_ENDPOINT_URL_BEDROCK_RUNTIME', `http://127.0.0.1:${await freePort()}`);
  const { failure } = await readModelResponse(bedrock('anthropic.model-v1:0'));
  expect(failure).toMatchObject({ name: 'ModelError', billable: false });
});
