import { setTimeout as pause } from 'node:timers/promises';
import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedEndpoint } from '../../../shared/http/endpoint.ts';
import { createDynamoCopyIdempotencyRepository } from '../../../shared/landing-pages/aws/dynamo-copy-idempotency-repository.ts';
import { createDynamoPageRepository } from '../../../shared/landing-pages/aws/dynamo-page-repository.ts';
import {
  createDynamoPageWriter,
  createDynamoTombstoneRepository,
} from '../../../shared/landing-pages/aws/dynamo-page-writer.ts';
import { createS3AssetStore } from '../../../shared/landing-pages/aws/s3-asset-store.ts';
import { type CopyPagePorts, copyPage } from '../../../shared/landing-pages/copy-page.ts';
import { createDynamoRateLimiter } from '../../../shared/limits/aws/dynamo-rate-limiter.ts';
import { createDynamoMembershipRepository } from '../../../shared/organizations/aws/dynamo-membership-repository.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { unlimitedRateLimiter } from '../../../shared/platform/rate-limiter.ts';
import { areRateLimitsDisabled } from '../../../shared/platform/settings.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { copyLandingPageOperation } from './operation.ts';

export const createHandler = ({ gate: authorization, ...ports }: CopyPagePorts & { gate: Authorization }) =>
  authorizedEndpoint(copyLandingPageOperation, authorization, async ({ path, body, headers, rawBody, caller, log }) => {
    const asked = { ...path, body, rawBody, log, userId: caller.userId, key: headers['idempotency-key'] };
    return { landingPageId: await copyPage(ports, asked) };
  });

export const handler = createHandler({
  gate: createAwsAuthorization(),
  memberships: createDynamoMembershipRepository(),
  organizations: createDynamoOrganizationRepository(),
  pages: createDynamoPageRepository(),
  writes: createDynamoPageWriter(),
  tombstones: createDynamoTombstoneRepository(),
  idempotencyRecords: createDynamoCopyIdempotencyRepository(),
  files: createS3AssetStore(),
  limiter: areRateLimitsDisabled() ? unlimitedRateLimiter : createDynamoRateLimiter(),
  clock: systemClock,
  ids: systemIdGenerator,
  sleep: pause,
});
