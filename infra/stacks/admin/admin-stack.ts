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
 * Creates the functions of the operations for webhooks and notifications. The stack `api` has the methods of these
 * operations. With the functions, it would exceed the 500 resources that CloudFormation allows in a stack. The
 * functions have no canary deployments, because there are too few calls to detect errors of a canary.
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
