import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { CONNECTION_GROUP, EDGE_DISTRIBUTION, ROUTING_ENDPOINT } from '../../../../infra/local/cloudfront/settings.ts';
import { createCloudFrontCdnProvider } from '../../../../shared/domains/aws/cloudfront-cdn-provider.ts';
import { CdnError } from '../../../../shared/domains/cdn-provider.ts';
import { aHostname, anError, served, useCloudFront } from '../../../support/local/cloudfront.ts';

const world = useCloudFront();
const edge = () => world.adapter();
const aServedTenant = () => served(edge(), world.pass);

test('a hostname is served after its certificate has been issued and put to use, which create does when it is repeated', async () => {
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

test('looking a hostname up changes nothing: an issued certificate stays unused however often one looks', async () => {
  const { tenantId } = await edge().create({ domainId: randomUUID(), hostname: aHostname() });
  for (let looks = 0; looks < 3; looks += 1) {
    world.pass();
    expect(await edge().find(tenantId)).toMatchObject({ isServed: false });
  }
});

test('a hostname is switched off, taken away and its certificate deleted; each step says when it is through', async () => {
  const { tenantId, certificateArn = '' } = await aServedTenant();
  expect(await edge().disable(tenantId)).toBe('under_way');
  expect(await edge().find(tenantId)).toMatchObject({ isServed: false });
  expect(await edge().delete(tenantId)).toBe('under_way');
  world.pass();
  expect(await edge().disable(tenantId)).toBe('done');
  expect(await edge().deleteCertificate(certificateArn)).toBe('under_way');
  expect(await edge().delete(tenantId)).toBe('done');
  expect(await edge().find(tenantId)).toBeUndefined();
  expect(await edge().deleteCertificate(certificateArn)).toBe('under_way');
  world.pass();
  expect(await edge().deleteCertificate(certificateArn)).toBe('done');
});

test('what is gone already is done, for each step of a removal', async () => {
  expect(await edge().disable('dt_gone')).toBe('done');
  expect(await edge().delete('dt_gone')).toBe('done');
  const arn = `arn:aws:acm:us-east-1:111122223333:certificate/${randomUUID()}`;
  expect(await edge().deleteCertificate(arn)).toBe('done');
  expect(await edge().find('dt_gone')).toBeUndefined();
  expect(await edge().findByDomain(randomUUID())).toBeUndefined();
});

test('a hostname that was never served is taken away too', async () => {
  const { tenantId, certificateArn = '' } = await edge().create({ domainId: randomUUID(), hostname: aHostname() });
  expect(await edge().disable(tenantId)).toBe('under_way');
  world.pass();
  expect(await edge().delete(tenantId)).toBe('done');
  world.pass();
  expect(await edge().deleteCertificate(certificateArn)).toBe('done');
});

test('a hostname that somebody switched on again is switched off before it is taken away', async () => {
  const { tenantId } = await aServedTenant();
  expect(await edge().delete(tenantId)).toBe('under_way');
  expect(await edge().find(tenantId)).toMatchObject({ isServed: false });
  expect(await edge().delete(tenantId)).toBe('under_way');
  world.pass();
  expect(await edge().delete(tenantId)).toBe('done');
});

test("a hostname that is served for somebody else is a failure that says so, and the other's stays", async () => {
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

test('a hostname whose certificate is refused is a failure when it is set up, and can be looked up and taken away', async () => {
  const request = { domainId: randomUUID(), hostname: aHostname('fail.example') };
  const { tenantId } = await edge().create(request);
  world.pass();
  await expect(edge().create(request)).rejects.toThrow(/^The hostname got no certificate\./);
  expect(await edge().find(tenantId)).toMatchObject({ isServed: false });
  await edge().disable(tenantId);
  world.pass();
  expect(await edge().delete(tenantId)).toBe('done');
});

test('a hostname that is slow takes longer, and gets there', async () => {
  const request = { domainId: randomUUID(), hostname: aHostname('slow.example') };
  await edge().create(request);
  world.pass(9);
  expect(await edge().create(request)).toMatchObject({ isServed: false });
  world.pass();
  await edge().create(request);
  world.pass(10);
  expect(await edge().create(request)).toMatchObject({ isServed: true });
});

test('a certificate is not put to use for a hostname that was switched off meanwhile', async () => {
  const request = { domainId: randomUUID(), hostname: aHostname() };
  const { tenantId } = await edge().create(request);
  await edge().disable(tenantId);
  world.pass();
  expect(await edge().create(request)).toMatchObject({ isServed: false });
  world.pass();
  expect(await edge().find(tenantId)).toMatchObject({ isServed: false });
  expect(await edge().disable(tenantId)).toBe('done');
});

test('two that set the same hostname up at once for one domain get the same tenant', async () => {
  const request = { domainId: randomUUID(), hostname: aHostname() };
  const all = await Promise.all(Array.from({ length: 4 }, () => edge().create(request)));
  expect(new Set(all.map(({ tenantId }) => tenantId)).size).toBe(1);
});

test('settings that name no distribution, or a connection group that is not there, are a failure that says where to look', async () => {
  const request = { domainId: randomUUID(), hostname: aHostname() };
  const elsewhere = createCloudFrontCdnProvider({ distributionId: 'E1NOWHERE' });
  await expect(elsewhere.create(request)).rejects.toThrow(/no such distribution or connection group/);
  const there = createCloudFrontCdnProvider({ distributionId: EDGE_DISTRIBUTION, connectionGroupId: CONNECTION_GROUP });
  expect(await there.create(request)).toMatchObject({ target: ROUTING_ENDPOINT });
});

test('a hostname survives a kill of the embedded edge, at each point of its life', async () => {
  const { tenantId, certificateArn = '' } = await aServedTenant();
  await world.restart();
  expect(await edge().find(tenantId)).toMatchObject({ isServed: true, certificateArn });
  await edge().disable(tenantId);
  await world.restart();
  expect(await edge().disable(tenantId)).toBe('under_way');
  world.pass();
  expect(await edge().delete(tenantId)).toBe('done');
  await world.restart();
  expect(await edge().deleteCertificate(certificateArn)).toBe('under_way');
  world.pass();
  expect(await edge().deleteCertificate(certificateArn)).toBe('done');
  await world.restart();
  expect(await edge().deleteCertificate(certificateArn)).toBe('done');
});

test('a call that the edge refuses once with a passing reason is made again', async () => {
  await world.faults({ effect: anError('ServiceUnavailable', 503) });
  expect(await edge().findByDomain(randomUUID())).toBeUndefined();
});
