import { RemovalPolicy } from 'aws-cdk-lib';
import type { Stage } from '../settings/stages.ts';

/** Removing a bucket that still holds objects fails: emptying one is left to a person, in dev too. */
export const removalPolicy = (stage: Stage): RemovalPolicy =>
  stage.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
