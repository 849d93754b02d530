import { setTimeout as pause } from 'node:timers/promises';
import { awsGate } from '../../../shared/http/aws-gate.ts';
import { memberEndpoint } from '../../../shared/http/endpoint.ts';
import type { Gate } from '../../../shared/http/gate.ts';
import { type CopyPorts, copyPage } from '../../../shared/landing-pages/copy-page.ts';
import { dynamoCopyClaims } from '../../../shared/landing-pages/dynamo-copy-claims.ts';
import { dynamoPageWrites, dynamoTombstones } from '../../../shared/landing-pages/dynamo-page-writes.ts';
import { dynamoPages } from '../../../shared/landing-pages/dynamo-pages.ts';
import { s3PageFiles } from '../../../shared/landing-pages/s3-page-files.ts';
import { dynamoLimiter } from '../../../shared/limits/dynamo-limiter.ts';
import { unlimited } from '../../../shared/limits/limiter.ts';
import { createDynamoMembershipRepository } from '../../../shared/organizations/aws/dynamo-membership-repository.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { rateLimitsLifted } from '../../../shared/platform/config.ts';
import { systemIds } from '../../../shared/platform/ids.ts';
import { copyLandingPage } from './operation.ts';

export const createHandler = ({ gate, ...ports }: CopyPorts & { gate: Gate }) =>
  memberEndpoint(copyLandingPage, gate, async ({ path, body, headers, rawBody, caller, log }) => {
    const asked = { ...path, body, rawBody, log, userId: caller.userId, key: headers['idempotency-key'] };
    return { landingPageId: await copyPage(ports, asked) };
  });

export const handler = createHandler({
  gate: awsGate(),
  memberships: createDynamoMembershipRepository(),
  organizations: createDynamoOrganizationRepository(),
  pages: dynamoPages(),
  writes: dynamoPageWrites(),
  tombstones: dynamoTombstones(),
  claims: dynamoCopyClaims(),
  files: s3PageFiles(),
  limiter: rateLimitsLifted() ? unlimited : dynamoLimiter(),
  clock: systemClock,
  ids: systemIds,
  pause,
});
