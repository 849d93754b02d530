import { RemovalPolicy } from 'aws-cdk-lib';
import type { Stage } from '../../settings/stages.ts';

/**
 * In prod, resources with data are retained when their stack is deleted. But if their first deployment fails, they are
 * deleted. They have no data yet, and their fixed names would block the next deployment. In every stage, an operator
 * must empty a bucket before CloudFormation can delete the bucket.
 */
export const removalPolicy = ({ keepsData }: Stage): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;

/**
 * Removal policy of resources with deletion protection. In prod, they are always retained. After a failed first
 * deployment, CloudFormation could not delete them because of the protection, and the stack would be stuck.
 */
export const removalPolicyOfProtected = ({ keepsData }: Stage): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
