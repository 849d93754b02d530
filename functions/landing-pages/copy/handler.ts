import { setTimeout as pause } from 'node:timers/promises';
import { awsGate } from '../../../shared/http/aws-gate.ts';
import { memberEndpoint } from '../../../shared/http/endpoint.ts';
import type { Gate } from '../../../shared/http/gate.ts';
import { createDynamoCopyIdempotencyRepository } from '../../../shared/landing-pages/aws/dynamo-copy-idempotency-repository.ts';
import { createDynamoPageRepository } from '../../../shared/landing-pages/aws/dynamo-page-repository.ts';
import {
  createDynamoPageWriter,
  createDynamoTombstoneRepository,
} from '../../../shared/landing-pages/aws/dynamo-page-writer.ts';
import { createS3AssetStore } from '../../../shared/landing-pages/aws/s3-asset-store.ts';
import { type CopyPagePorts, copyPage } from '../../../shared/landing-pages/copy-page.ts';
import { dynamoLimiter } from '../../../shared/limits/dynamo-limiter.ts';
import { unlimited } from '../../../shared/limits/limiter.ts';
import { createDynamoMembershipRepository } from '../../../shared/organizations/aws/dynamo-membership-repository.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { rateLimitsLifted } from '../../../shared/platform/config.ts';
import { systemIds } from '../../../shared/platform/ids.ts';
import { copyLandingPage } from './operation.ts';

export const createHandler = ({ gate, ...ports }: CopyPagePorts & { gate: Gate }) =>
  memberEndpoint(copyLandingPage, gate, async ({ path, body, headers, rawBody, caller, log }) => {
    const asked = { ...path, body, rawBody, log, userId: caller.userId, key: headers['idempotency-key'] };
    return { landingPageId: await copyPage(ports, asked) };
  });

export const handler = createHandler({
  gate: awsGate(),
  memberships: createDynamoMembershipRepository(),
  organizations: createDynamoOrganizationRepository(),
  pages: createDynamoPageRepository(),
  writes: createDynamoPageWriter(),
  tombstones: createDynamoTombstoneRepository(),
  idempotencyRecords: createDynamoCopyIdempotencyRepository(),
  files: createS3AssetStore(),
  limiter: rateLimitsLifted() ? unlimited : dynamoLimiter(),
  clock: systemClock,
  ids: systemIds,
  sleep: pause,
});
