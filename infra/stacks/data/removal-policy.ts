import { RemovalPolicy } from 'aws-cdk-lib';
import type { Stage } from '../../settings/stages.ts';

/**
 * In prod, resources with data are retained when their stack is deleted. If the deployment that creates the resources
 * fails, they are deleted, because they have no data yet, and a resource with a fixed name would block the next
 * deployment. In every stage, an operator must empty a bucket before CloudFormation can delete the bucket.
 */
export const removalPolicy = ({ keepsData }: Stage): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;

/**
 * Removal policy of resources with deletion protection. In prod, they are retained even if the deployment that creates
 * them fails. CloudFormation could not delete them because of the protection, and the stack would be stuck.
 */
export const removalPolicyOfProtected = ({ keepsData }: Stage): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
