import { RemovalPolicy } from 'aws-cdk-lib';
import type { Stage } from '../../settings/stages.ts';

/**
 * In prod, what holds something outlives its stack, but not a deployment that fails while it makes it: what is left behind
 * empty costs, and what has a name is in the way of the next attempt. Removing a bucket that still holds objects fails:
 * emptying one is left to a person, in dev too.
 */
export const removalPolicy = ({ keepsData }: Stage): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;

/** Of what is protected against deletion: a deployment that fails could not take it back, and would be stuck. */
export const removalPolicyOfProtected = ({ keepsData }: Stage): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
