import type { Authorization } from '../../../shared/http/authorizer.ts';
import { authorizedEndpoint } from '../../../shared/http/endpoint.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { type IdGenerator, systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { createDynamoCaseRepository } from '../../../shared/training/aws/dynamo-case-repository.ts';
import { createTrainingCase } from '../../../shared/training/new-training-case.ts';
import type { CaseRepository } from '../../../shared/training/ports.ts';
import { createAwsAuthorization } from '../../wiring/authorization.ts';
import { createCaseOperation } from './operation.ts';

export const createHandler = (ports: { authorization: Authorization<Role>; cases: CaseRepository; ids: IdGenerator }) =>
  authorizedEndpoint(createCaseOperation, ports.authorization, async ({ path, body }) => {
    const trainingCase = createTrainingCase(body, ports.ids.uuid);
    await ports.cases.add(path.orgId, trainingCase);
    return trainingCase;
  });

export const handler = createHandler({
  authorization: createAwsAuthorization(),
  cases: createDynamoCaseRepository(),
  ids: systemIdGenerator,
});
