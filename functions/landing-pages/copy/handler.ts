import { setTimeout as pause } from 'node:timers/promises';
import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedEndpoint } from '../../../shared/http/endpoint.ts';
import { createDynamoCopyIdempotencyRepository } from '../../../shared/landing-pages/aws/dynamo-copy-idempotency-repository.ts';
import { createDynamoPageRepository } from '../../../shared/landing-pages/aws/dynamo-page-repository.ts';
import {
  createDynamoPageTombstoneRepository,
  createDynamoPageWriter,
} from '../../../shared/landing-pages/aws/dynamo-page-writer.ts';
import { createS3AssetStore } from '../../../shared/landing-pages/aws/s3-asset-store.ts';
import { type CopyPagePorts, copyPage } from '../../../shared/landing-pages/copy-page.ts';
import { createDynamoMembershipRepository } from '../../../shared/organizations/aws/dynamo-membership-repository.ts';
import { createDynamoOrganizationRepository } from '../../../shared/organizations/aws/dynamo-organization-repository.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { createAwsRateLimiter } from '../../wiring/rate-limiter.ts';
import { copyLandingPageOperation } from './operation.ts';

export const createHandler = ({ authorization, ...ports }: CopyPagePorts & { authorization: Authorization<Role> }) =>
  authorizedEndpoint(copyLandingPageOperation, authorization, async ({ path, body, headers, rawBody, caller, log }) => {
    const input = { ...path, body, rawBody, log, userId: caller.userId, idempotencyKey: headers['idempotency-key'] };
    return { landingPageId: await copyPage(ports, input) };
  });

export const handler = createHandler({
  authorization: createAwsAuthorization(),
  memberships: createDynamoMembershipRepository(),
  organizations: createDynamoOrganizationRepository(),
  pages: createDynamoPageRepository(),
  writes: createDynamoPageWriter(),
  tombstones: createDynamoPageTombstoneRepository(),
  idempotencyRecords: createDynamoCopyIdempotencyRepository(),
  files: createS3AssetStore(),
  limiter: createAwsRateLimiter(),
  clock: systemClock,
  ids: systemIdGenerator,
  sleep: pause,
});
