import { RemovalPolicy } from 'aws-cdk-lib';
import type { Stage } from '../../settings/stages.ts';

/**
 * In prod, resources with data outlive their stack, but not the failed deployment that created them: an empty resource
 * costs money, and a named one blocks the next attempt. Deleting a bucket with objects fails: an operator empties it by
 * hand, in dev too.
 */
export const removalPolicy = ({ keepsData }: Stage): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;

/**
 * For resources with deletion protection: CloudFormation could not delete them after a failed deployment, and the stack
 * would be stuck.
 */
export const removalPolicyOfProtected = ({ keepsData }: Stage): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
