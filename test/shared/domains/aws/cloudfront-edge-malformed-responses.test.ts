import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CdnError } from '../../../../shared/domains/cdn-provider.ts';
import { aHostname, served, useCloudFront } from '../../../support/local/cloudfront.ts';

const world = useCloudFront();

const word = fc.constantFrom('DistributionTenant', 'Id', 'Domains', 'member', 'Domain', 'Status', 'Error', 'Code', 'a');
const tag = fc.oneof(
  word.map((name) => `<${name}>`),
  word.map((name) => `</${name}>`),
  word.map((name) => `<${name} xmlns="x"/>`),
  fc.constantFrom('<!DOCTYPE a [<!ENTITY b "c">]>', '&b;', '<![CDATA[', ']]>', '<?xml version="1.0"?>', '&#0;', '<!--'),
);
/** Bodies of responses: arbitrary text, malformed XML, JSON, and deeply nested tags. */
const body = fc.oneof(
  fc.string({ maxLength: 200, unit: 'binary' }),
  fc.array(fc.oneof(tag, fc.string({ maxLength: 5 })), { maxLength: 40 }).map((parts) => parts.join('')),
  fc.json({ maxDepth: 3 }),
  fc.integer({ min: 1, max: 3_000 }).map((depth) => '<a>'.repeat(depth)),
);
const status = fc.constantFrom(200, 201, 204, 301, 400, 403, 404, 409, 412, 500, 503);

test('for any AWS response, the CDN provider returns or throws a CdnError; the message contains no markup', async () => {
  const edge = world.adapter({ callMs: 10_000, methodMs: 30_000 });
  const tenant = await served(edge, world.pass);
  const methods = [
    () => edge.create({ domainId: randomUUID(), hostname: aHostname() }),
    () => edge.find(tenant.tenantId),
    () => edge.disable(tenant.tenantId),
    () => edge.delete(tenant.tenantId),
    () => edge.deleteCertificate(tenant.certificateArn ?? ''),
  ];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...methods), status, body, async (method, code, text) => {
      await world.faults({ times: 10, effect: { kind: 'response', status: code, body: text } });
      const outcome = await method().catch((error: unknown) => error);
      if (!(outcome instanceof Error)) return;
      expect(outcome).toBeInstanceOf(CdnError);
      expect(outcome.message).toMatch(/^[A-Z][\w\s:,()'’.]+\.$/);
    }),
    { numRuns: 100 },
  );
  await world.faults();
  expect(await edge.find(tenant.tenantId)).toMatchObject({ isServed: true });
});
