import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { CONNECTION_GROUP, EDGE_DISTRIBUTION, ROUTING_ENDPOINT } from '../../../../infra/local/cloudfront/settings.ts';
import { createCloudFrontCdnProvider } from '../../../../shared/domains/aws/cloudfront-cdn-provider.ts';
import { CdnError } from '../../../../shared/domains/cdn-provider.ts';
import { aHostname, anError, served, useCloudFront } from '../../../support/local/cloudfront.ts';

const world = useCloudFront();
const edge = () => world.adapter();
const aServedTenant = () => served(edge(), world.pass);

test('create requests a certificate; after its issue, a repeated create attaches it, and then the hostname is served', async () => {
  const request = { domainId: randomUUID(), hostname: aHostname() };
  const first = await edge().create(request);
  expect(first).toEqual({
    tenantId: expect.stringMatching(/^dt_/),
    target: ROUTING_ENDPOINT,
    certificateArn: expect.stringMatching(/^arn:aws:acm:us-east-1:/),
    isServed: false,
  });
  world.pass();
  expect(await edge().find(first.tenantId)).toEqual(first);
  expect(await edge().create(request)).toEqual(first);
  expect(await edge().find(first.tenantId)).toEqual(first);
  world.pass();
  expect(await edge().find(first.tenantId)).toEqual({ ...first, isServed: true });
  expect(await edge().findByDomain(request.domainId)).toEqual({ ...first, isServed: true });
  expect(await edge().create(request)).toEqual({ ...first, isServed: true });
});

test('repeated look-ups do not attach an issued certificate', async () => {
  const { tenantId } = await edge().create({ domainId: randomUUID(), hostname: aHostname() });
  for (let looks = 0; looks < 3; looks += 1) {
    world.pass();
    expect(await edge().find(tenantId)).toMatchObject({ isServed: false });
  }
});

test('disable, delete and deleteCertificate return in_progress until their step is complete, and then done', async () => {
  const { tenantId, certificateArn = '' } = await aServedTenant();
  expect(await edge().disable(tenantId)).toBe('in_progress');
  expect(await edge().find(tenantId)).toMatchObject({ isServed: false });
  expect(await edge().delete(tenantId)).toBe('in_progress');
  world.pass();
  expect(await edge().disable(tenantId)).toBe('done');
  expect(await edge().deleteCertificate(certificateArn)).toBe('in_progress');
  expect(await edge().delete(tenantId)).toBe('done');
  expect(await edge().find(tenantId)).toBeUndefined();
  expect(await edge().deleteCertificate(certificateArn)).toBe('in_progress');
  world.pass();
  expect(await edge().deleteCertificate(certificateArn)).toBe('done');
});

test('if a resource does not exist, each step of a removal returns done and a look-up returns undefined', async () => {
  expect(await edge().disable('dt_gone')).toBe('done');
  expect(await edge().delete('dt_gone')).toBe('done');
  const arn = `arn:aws:acm:us-east-1:111122223333:certificate/${randomUUID()}`;
  expect(await edge().deleteCertificate(arn)).toBe('done');
  expect(await edge().find('dt_gone')).toBeUndefined();
  expect(await edge().findByDomain(randomUUID())).toBeUndefined();
});

test('a hostname that was never served can be disabled and deleted, and then its certificate can be deleted', async () => {
  const { tenantId, certificateArn = '' } = await edge().create({ domainId: randomUUID(), hostname: aHostname() });
  expect(await edge().disable(tenantId)).toBe('in_progress');
  world.pass();
  expect(await edge().delete(tenantId)).toBe('done');
  world.pass();
  expect(await edge().deleteCertificate(certificateArn)).toBe('done');
});

test('delete disables an enabled hostname before deleting it', async () => {
  const { tenantId } = await aServedTenant();
  expect(await edge().delete(tenantId)).toBe('in_progress');
  expect(await edge().find(tenantId)).toMatchObject({ isServed: false });
  expect(await edge().delete(tenantId)).toBe('in_progress');
  world.pass();
  expect(await edge().delete(tenantId)).toBe('done');
});

test("create throws a CdnError if another domain's tenant serves the hostname, and keeps that tenant", async () => {
  const { tenantId, hostname } = await aServedTenant();
  const domainId = randomUUID();
  const failure = await edge()
    .create({ domainId, hostname })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CdnError);
  expect(failure).toMatchObject({
    message: expect.stringMatching(/^Another CloudFront distribution or tenant already serves this hostname/),
    cause: { name: 'CNAMEAlreadyExists' },
  });
  expect(await edge().findByDomain(domainId)).toBeUndefined();
  expect(await edge().find(tenantId)).toMatchObject({ isServed: true });
});

test('if the certificate of a hostname failed, a repeated create throws, and the tenant can be deleted', async () => {
  const request = { domainId: randomUUID(), hostname: aHostname('fail.example') };
  const { tenantId } = await edge().create(request);
  world.pass();
  await expect(edge().create(request)).rejects.toThrow(/^The hostname has no usable certificate\./);
  expect(await edge().find(tenantId)).toMatchObject({ isServed: false });
  await edge().disable(tenantId);
  world.pass();
  expect(await edge().delete(tenantId)).toBe('done');
});

test('a hostname is served later if the edge provisions it slowly', async () => {
  const request = { domainId: randomUUID(), hostname: aHostname('slow.example') };
  await edge().create(request);
  world.pass(9);
  expect(await edge().create(request)).toMatchObject({ isServed: false });
  world.pass();
  await edge().create(request);
  world.pass(10);
  expect(await edge().create(request)).toMatchObject({ isServed: true });
});

test('create does not attach a new certificate to a disabled hostname', async () => {
  const request = { domainId: randomUUID(), hostname: aHostname() };
  const { tenantId } = await edge().create(request);
  await edge().disable(tenantId);
  world.pass();
  expect(await edge().create(request)).toMatchObject({ isServed: false });
  // `done` proves that create attached no certificate. After an attachment, disable would return `in_progress`.
  expect(await edge().disable(tenantId)).toBe('done');
  world.pass();
  expect(await edge().find(tenantId)).toMatchObject({ isServed: false });
});

test('concurrent creates of one hostname for one domain return the same tenant', async () => {
  const request = { domainId: randomUUID(), hostname: aHostname() };
  const all = await Promise.all(Array.from({ length: 4 }, () => edge().create(request)));
  expect(new Set(all.map(({ tenantId }) => tenantId)).size).toBe(1);
});

test('create throws for an unknown distribution, and returns the target of a configured connection group', async () => {
  const request = { domainId: randomUUID(), hostname: aHostname() };
  const unknownDistribution = createCloudFrontCdnProvider({ distributionId: 'E1NOWHERE' });
  await expect(unknownDistribution.create(request)).rejects.toThrow(/distribution or connection group does not exist/);
  const configured = createCloudFrontCdnProvider({
    distributionId: EDGE_DISTRIBUTION,
    connectionGroupId: CONNECTION_GROUP,
  });
  expect(await configured.create(request)).toMatchObject({ target: ROUTING_ENDPOINT });
});

test('the state of a hostname survives restarts of the embedded edge', async () => {
  const { tenantId, certificateArn = '' } = await aServedTenant();
  await world.restart();
  expect(await edge().find(tenantId)).toMatchObject({ isServed: true, certificateArn });
  await edge().disable(tenantId);
  await world.restart();
  expect(await edge().disable(tenantId)).toBe('in_progress');
  world.pass();
  expect(await edge().delete(tenantId)).toBe('done');
  await world.restart();
  expect(await edge().deleteCertificate(certificateArn)).toBe('in_progress');
  world.pass();
  expect(await edge().deleteCertificate(certificateArn)).toBe('done');
  await world.restart();
  expect(await edge().deleteCertificate(certificateArn)).toBe('done');
});

test('a request that AWS rejects once with a transient error is retried', async () => {
  await world.faults({ effect: anError('ServiceUnavailable', 503) });
  expect(await edge().findByDomain(randomUUID())).toBeUndefined();
});
