import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** A rule of AWS Solutions, with the finding if the rule has several: `S1`, `IAM5[Resource::*]`. */
export type Rule = string;

/**
 * Acknowledges findings of the review (`review.ts`) for one resource. The reason stands beside the resource and must
 * make sense to a security reviewer. An acknowledgement without a finding fails the review.
 *
 * @returns the construct
 */
export function explain<T extends IConstruct>(construct: T, reasons: Readonly<Record<Rule, string>>): T {
  for (const [rule, reason] of Object.entries(reasons)) {
    Validations.of(construct).acknowledge({ id: `AwsSolutions-${rule}`, reason });
  }
  return construct;
}

/**
 * The part of a policy resource after its last reference, for example `/facts/*` of the ARN of a bucket's objects.
 * References are written differently before and after synthesis.
 */
export const patternIn = (resource: string): string =>
  resource.slice(1 + Math.max(resource.lastIndexOf('}'), resource.lastIndexOf('>')));
