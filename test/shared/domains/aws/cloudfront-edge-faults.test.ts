import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { CdnError, type CdnProvider } from '../../../../shared/domains/cdn-provider.ts';
import { aHostname, anError, type Fault, served, useCloudFront } from '../../../support/local/cloudfront.ts';

const world = useCloudFront();
const edge = () => world.adapter();
const aServedTenant = () => served(edge(), world.pass);
const always = (operation: string, effect: Fault['effect']): Fault => ({ operation, times: 50, effect });

/** Each method of the provider with an AWS operation that the method sends. */
const METHODS: readonly (readonly [
  string,
  (edge: CdnProvider, tenant: { tenantId: string; certificateArn?: string | undefined }) => Promise<unknown>,
  string,
])[] = [
  ['create', (on) => on.create({ domainId: randomUUID(), hostname: aHostname() }), 'CreateDistributionTenant'],
  ['create', (on) => on.create({ domainId: randomUUID(), hostname: aHostname() }), 'GetDistributionTenant'],
  ['find', (on, { tenantId }) => on.find(tenantId), 'GetDistributionTenant'],
  ['find', (on, { tenantId }) => on.find(tenantId), 'GetManagedCertificateDetails'],
  ['find', (on, { tenantId }) => on.find(tenantId), 'GetConnectionGroup'],
  ['disable', (on, { tenantId }) => on.disable(tenantId), 'UpdateDistributionTenant'],
  ['delete', (on, { tenantId }) => on.delete(tenantId), 'GetDistributionTenant'],
  ['deleteCertificate', (on, { certificateArn = '' }) => on.deleteCertificate(certificateArn), 'DeleteCertificate'],
];

async function failureOf(work: Promise<unknown>): Promise<CdnError> {
  const failure = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failure instanceof CdnError)) throw new Error(`No CdnError: ${String(failure)}`);
  return failure;
}

describe.each(METHODS)('%s', (_, run, operation) => {
  let tenant: Awaited<ReturnType<typeof aServedTenant>>;
  beforeAll(async () => {
    await world.faults();
    tenant = await aServedTenant();
  });

  test.each([
    ['AccessDenied', 403, /AWS rejects the credentials of the function, or they lack a permission\.$/],
    ['AccessDeniedException', 400, /AWS rejects the credentials of the function, or they lack a permission\.$/],
    ['Throttling', 400, /AWS did not respond in time or is busy\. Try again later\.$/],
    ['ServiceUnavailable', 503, /AWS did not respond in time or is busy\. Try again later\.$/],
    ['EntityLimitExceeded', 400, /Ask AWS to raise the quota\.$/],
    ['InvalidAssociation', 409, /does not support tenants\.$/],
    ['InvalidArgument', 400, /AWS rejected the request \(InvalidArgument\)\.$/],
  ])(
    `throws a CdnError, without names of AWS resources in its message, if ${operation} responds with %s`,
    async (code, status, sentence) => {
      await world.faults(always(operation, anError(code, status)));
      const failure = await failureOf(run(edge(), tenant));
      expect(failure.message).toMatch(sentence);
      expect(failure.message).toMatch(/^The edge could not [a-z ]+: /);
      expect(failure.message).not.toMatch(/arn:|dt_|cg_|h[0-9a-f]{8}/);
      expect(failure.cause).toMatchObject({ name: code });
      await world.faults();
      expect(await edge().find(tenant.tenantId)).toMatchObject({ isServed: true });
    },
  );

  test(`throws a CdnError if ${operation} responds with an unreadable body`, async () => {
    for (const [status, body] of [
      [200, '<html>maintenance'],
      [200, '\u0000\u0001'],
      [404, '<html>404</html>'],
      [400, '{"__type":{}}'],
    ] as const) {
      await world.faults(always(operation, { kind: 'response', status, body }));
      const failure = await failureOf(run(edge(), tenant));
      expect(failure.message).toMatch(
        /(?:unexpected response(?: to [A-Za-z]+\. It lacks .+)?|AWS rejected the request \(NotFound\))\.$/,
      );
    }
    await world.faults();
    expect(await edge().find(tenant.tenantId)).toMatchObject({ isServed: true });
  });

  test.each(['stalled', 'endless'] as const)(`times out if the response of ${operation} is %s`, async (kind) => {
    await world.faults(always(operation, { kind }));
    const failure = await failureOf(run(world.adapter({ callMs: 200, methodMs: 10_000 }), tenant));
    expect(failure.message).toMatch(/AWS did not respond in time or is busy/);
  });
});

test('a method of the CDN provider times out after its own time limit, even if each request has a longer limit', async () => {
  const { tenantId } = await aServedTenant();
  await world.faults(always('GetManagedCertificateDetails', { kind: 'stalled' }));
  const failure = await failureOf(world.adapter({ callMs: 60_000, methodMs: 300 }).find(tenantId));
  expect(failure.message).toMatch(/^The edge could not look up the hostname: AWS did not respond in time/);
});

test('after a create whose response was lost, repeated creates return one tenant with one certificate', async () => {
  const request = { domainId: randomUUID(), hostname: aHostname() };
  await world.faults(always('CreateDistributionTenant', { kind: 'lost' }));
  const failure = await failureOf(edge().create(request));
  expect(failure.message).toMatch(/AWS did not respond in time or is busy/);
  await world.faults();
  const first = await edge().create(request);
  expect(await edge().create(request)).toEqual(first);
  expect(await edge().findByDomain(request.domainId)).toEqual(first);
});

test('if the response to its first request is lost, create returns the created tenant', async () => {
  const request = { domainId: randomUUID(), hostname: aHostname() };
  await world.faults({ operation: 'CreateDistributionTenant', effect: { kind: 'lost' } });
  const first = await edge().create(request);
  expect(await edge().create(request)).toEqual(first);
});

test.each(['EntityAlreadyExists', 'CNAMEAlreadyExists'])(
  'create returns the existing tenant of the domain if CloudFront responds with %s',
  async (code) => {
    const { domainId, hostname, tenantId } = await aServedTenant();
    // Simulates that `create` first reads the tenant and does not find it yet.
    await world.faults(
      { operation: 'GetDistributionTenant', effect: anError('EntityNotFound', 404) },
      { operation: 'CreateDistributionTenant', effect: anError(code, 409) },
    );
    expect(await edge().create({ domainId, hostname })).toMatchObject({ tenantId, isServed: true });
  },
);

test('if CloudFront responds with EntityAlreadyExists, but the domain has no tenant, create throws', async () => {
  const domainId = randomUUID();
  await world.faults(always('CreateDistributionTenant', anError('EntityAlreadyExists', 409)));
  const failure = await failureOf(edge().create({ domainId, hostname: aHostname() }));
  expect(failure.message).toMatch(/AWS rejected the request \(EntityAlreadyExists\)\.$/);
  expect(await edge().findByDomain(domainId)).toBeUndefined();
});

describe('if another process changes the tenant concurrently', () => {
  test.each(['PreconditionFailed', 'InvalidIfMatchVersion'])(
    'disable reads the tenant again after %s, and succeeds',
    async (code) => {
      const { tenantId } = await aServedTenant();
      await world.faults({ operation: 'UpdateDistributionTenant', times: 2, effect: anError(code, 412) });
      expect(await edge().disable(tenantId)).toBe('in_progress');
      world.pass();
      expect(await edge().disable(tenantId)).toBe('done');
    },
  );

  test('disable throws after repeated conflicts, and the hostname is still served', async () => {
    const { tenantId } = await aServedTenant();
    await world.faults(always('UpdateDistributionTenant', anError('PreconditionFailed', 412)));
    const failure = await failureOf(edge().disable(tenantId));
    expect(failure.message).toMatch(/another process changed the tenant at the same time\. Try again\.$/);
    expect(await edge().find(tenantId)).toMatchObject({ isServed: true });
  });

  test('two concurrent disables both succeed, and two concurrent deletes both succeed', async () => {
    const { tenantId } = await aServedTenant();
    expect(await Promise.all([edge().disable(tenantId), edge().disable(tenantId)])).toEqual([
      'in_progress',
      'in_progress',
    ]);
    world.pass();
    expect(await Promise.all([edge().delete(tenantId), edge().delete(tenantId)])).toEqual(['done', 'done']);
  });

  test('disable and delete return done if the tenant is deleted between the read and the change', async () => {
    const { tenantId } = await aServedTenant();
    await world.faults({ operation: 'UpdateDistributionTenant', effect: anError('EntityNotFound', 404) });
    expect(await edge().disable(tenantId)).toBe('done');
    await edge().disable(tenantId);
    world.pass();
    await world.faults({ operation: 'DeleteDistributionTenant', effect: anError('NoSuchResource', 404) });
    expect(await edge().delete(tenantId)).toBe('done');
  });
});

test.each(['ResourceNotDisabled', 'ResourceInUse', 'CannotDeleteEntityWhileInUse'])(
  'delete returns in_progress if CloudFront responds with %s',
  async (code) => {
    const { tenantId } = await aServedTenant();
    await edge().disable(tenantId);
    world.pass();
    await world.faults({ operation: 'DeleteDistributionTenant', effect: anError(code, 409) });
    expect(await edge().delete(tenantId)).toBe('in_progress');
    expect(await edge().delete(tenantId)).toBe('done');
  },
);

test.each(['ResourceInUseException', 'ConflictException'])(
  'deleteCertificate returns in_progress if ACM responds with %s',
  async (code) => {
    const { certificateArn = '' } = await aServedTenant();
    await world.faults({ operation: 'DeleteCertificate', effect: anError(code) });
    expect(await edge().deleteCertificate(certificateArn)).toBe('in_progress');
  },
);

test('delete returns done if the response to its first request was lost', async () => {
  const { tenantId } = await aServedTenant();
  await edge().disable(tenantId);
  world.pass();
  await world.faults({ operation: 'DeleteDistributionTenant', effect: { kind: 'lost' } });
  expect(await edge().delete(tenantId)).toBe('done');
  expect(await edge().find(tenantId)).toBeUndefined();
});
