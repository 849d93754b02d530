import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EDGE_DISTRIBUTION } from '../../../../infra/local/cloudfront/settings.ts';
import { aHostname, served, useCloudFront } from '../../../support/local/cloudfront.ts';

const world = useCloudFront();
const SIGNED = 'AWS4-HMAC-SHA256 Credential=test';
const TENANTS = '/2020-05-31/distribution-tenant';

/** Uses a new connection for each request, because the server may close a reused connection during the request. */
const ask = (path: string, { headers, ...request }: RequestInit = {}) =>
  fetch(`${world.url()}${path}`, { ...request, headers: { Authorization: SIGNED, ...headers, Connection: 'close' } });

const aRequest = ({ hostname = aHostname(), name = `tenant-${randomUUID()}`, distribution = EDGE_DISTRIBUTION } = {}) =>
  `<CreateDistributionTenantRequest xmlns="http://cloudfront.amazonaws.com/doc/2020-05-31/">` +
  `<DistributionId>${distribution}</DistributionId>` +
  `<Name>${name}</Name><Domains><member><Domain>${hostname}</Domain></member></Domains><ManagedCertificateRequest>` +
  `<ValidationTokenHost>cloudfront</ValidationTokenHost><PrimaryDomainName>${hostname}</PrimaryDomainName>` +
  '</ManagedCertificateRequest></CreateDistributionTenantRequest>';

const create = (body: string) => ask(TENANTS, { method: 'POST', body });

const codeOf = async (response: Response) => [response.status, /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1]];

test('a duplicate name, a duplicate hostname and an unknown distribution each have their own error code', async () => {
  const [hostname, name] = [aHostname(), `tenant-${randomUUID()}`];
  const first = await create(aRequest({ hostname, name }));
  expect(first.status).toBe(201);
  expect(first.headers.get('location')).toMatch(/^\/2020-05-31\/distribution-tenant\/dt_/);
  expect(first.headers.get('etag')).toMatch(/^E[0-9A-F]{13}$/);
  expect(await codeOf(await create(aRequest({ name })))).toEqual([409, 'EntityAlreadyExists']);
  expect(await codeOf(await create(aRequest({ hostname })))).toEqual([409, 'CNAMEAlreadyExists']);
  expect(await codeOf(await create(aRequest({ distribution: 'E1OTHER' })))).toEqual([404, 'EntityNotFound']);
});

test('400: an invalid request gets InvalidArgument or MalformedInput and creates nothing', async () => {
  const hostname = aHostname();
  for (const body of ['', '<a>', 'no xml', aRequest({ hostname, name: '-' }), aRequest({ hostname: 'NO HOST' })]) {
    const [status, code] = await codeOf(await create(body));
    expect(status).toBe(400);
    expect(code).toMatch(/^(?:InvalidArgument|MalformedInput)$/);
  }
  expect((await create(aRequest({ hostname }))).status).toBe(201);
});

test('a tenant can be deleted only after it is disabled, and only with its current ETag', async () => {
  const { tenantId } = await served(world.adapter(), world.pass);
  const path = `${TENANTS}/${tenantId}`;
  const remove = (headers: Record<string, string>) => ask(path, { method: 'DELETE', headers });
  expect(await codeOf(await remove({}))).toEqual([400, 'InvalidIfMatchVersion']);
  expect(await codeOf(await remove({ 'If-Match': 'EOLD' }))).toEqual([412, 'PreconditionFailed']);
  const eTag = (await ask(path)).headers.get('etag') ?? '';
  expect(await codeOf(await remove({ 'If-Match': eTag }))).toEqual([409, 'ResourceNotDisabled']);
  await world.adapter().disable(tenantId);
  expect(await codeOf(await remove({ 'If-Match': eTag }))).toEqual([412, 'PreconditionFailed']);
});

test('the ETag changes when the certificate is issued', async () => {
  const { tenantId } = await world.adapter().create({ domainId: randomUUID(), hostname: aHostname() });
  const eTag = async () => (await ask(`${TENANTS}/${tenantId}`)).headers.get('etag');
  const before = await eTag();
  expect(await eTag()).toBe(before);
  world.pass();
  expect(await eTag()).not.toBe(before);
});

test('403: an unsigned request is rejected', async () => {
  const response = await ask(TENANTS, { method: 'POST', body: aRequest(), headers: { Authorization: '' } });
  expect(await codeOf(response)).toEqual([403, 'MissingAuthenticationToken']);
});

test('400: a list of faults to inject is rejected if it is not sent with PUT as application/json', async () => {
  const faults = JSON.stringify([{ effect: { kind: 'stalled' } }]);
  expect((await ask('/faults', { method: 'PUT', body: faults })).status).toBe(400);
  expect((await ask('/faults', { method: 'POST', body: faults })).status).toBe(400);
  expect(await world.adapter().findByDomain(randomUUID())).toBeUndefined();
});

test('any invalid request gets a 4xx, and the server keeps running', async () => {
  const path = fc.constantFrom(
    TENANTS,
    `${TENANTS}/x`,
    `${TENANTS}/%E0%A4%A`,
    '/2020-05-31/managed-certificate/y',
    '/',
  );
  const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE');
  const target = fc.constantFrom('CertificateManager.DeleteCertificate', 'CertificateManager.toString', 'x');
  const body = fc.oneof(fc.string({ maxLength: 300, unit: 'binary' }), fc.constant(aRequest().slice(0, -9)), fc.json());
  await fc.assert(
    fc.asyncProperty(path, method, target, body, async (where, how, action, text) => {
      const headers = { 'X-Amz-Target': action };
      const response = await ask(where, { method: how, headers, ...(how !== 'GET' && { body: text }) });
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.status).toBeLessThan(500);
      await response.arrayBuffer();
    }),
    { numRuns: 100 },
  );
  expect((await create(aRequest())).status).toBe(201);
});
