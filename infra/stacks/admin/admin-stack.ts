import { Stack } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { ServiceOperation } from '../../../functions/declare-operation.ts';
import { createLambdaFunction, type Deployment } from '../../functions/lambda-function.ts';
import { requiredGrants } from '../../functions/required-grants.ts';
import { stackName } from '../../names.ts';
import type { Api } from '../api/api-stack.ts';
import { isAdministrative } from './is-administrative.ts';

/**
 * Creates the functions of the operations for webhooks and notifications. A CloudFormation stack can have 500 resources.
 * The stack `api` has the methods of all operations, and would have more with these functions. They are called too rarely for a canary
 * deployment to show errors of a new version.
 */
export function adminStack(
  scope: Construct,
  deployment: Deployment,
  { restApi, environmentOf }: Api,
  operations: readonly ServiceOperation[],
): Stack {
  const { stage } = deployment;
  const stack = new Stack(scope, stackName(stage, 'admin'), { terminationProtection: stage.keepsData });
  for (const declared of operations.filter(isAdministrative)) {
    const alias = createLambdaFunction(
      stack,
      deployment,
      { ...declared, grants: requiredGrants(declared) },
      { environment: environmentOf(declared), skipsCanary: true },
    );
    const path = declared.path.replaceAll(/\{[^}]+\}/g, '*');
    alias.addPermission('Gateway', {
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: restApi.arnForExecuteApi(declared.method, path, stage.name),
    });
  }
  return stack;
}
