import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createS3FactFileReader } from '../../../../../shared/analytics/facts/aws/s3-fact-files.ts';

test('reading a fact file throws if S3 stops sending in the middle of the file', async () => {
  const server = createServer((_, reply) => {
    reply.writeHead(200, { 'Content-Length': '1000' });
    reply.write('half of it');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
    FACTS_BUCKET: 'facts',
  });
  await expect(createS3FactFileReader().get('funnel/file')).rejects.toThrow(/inactivity/);
  server.closeAllConnections();
  server.close();
});
