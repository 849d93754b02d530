import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDynamoFunnelRepository } from '../../../../shared/funnels/aws/dynamo-funnel-repository.ts';
import { createDynamoLeadRepository } from '../../../../shared/leads/aws/dynamo-lead-repository.ts';
import { setUpSubmit } from '../../../support/leads/submit.ts';

/** Accepts every request and never responds. */
const hanging = createServer(() => undefined);

beforeAll(async () => {
  hanging.listen(0, '127.0.0.1');
  await once(hanging, 'listening');
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    LEADS_TABLE: 'leads',
    DIRECTORY_TABLE: 'directory',
  });
});
afterAll(() => {
  hanging.closeAllConnections();
  hanging.close();
});

const lead_id = '3f2a9c1e-7b4d-4c8a-9e60-5d1f2b3c4a59';

test.each([
  ['of leads', { leads: createDynamoLeadRepository() }],
  ['of funnels', { funnels: createDynamoFunnelRepository() }],
])(
  '503: if the table %s does not respond, an update gets its handle back before the function times out',
  async (_, ports) => {
    const { post } = setUpSubmit({ ports });
    const response = await post({ lead_id, update_token: 'mine', data: {} });
    expect(response).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: {
        error: { code: 'service_unavailable', validation_errors: null },
        data: { id: lead_id, update_token: 'mine' },
      },
    });
  },
  10_000,
);
