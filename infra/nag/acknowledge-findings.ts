import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** A rule of AWS Solutions, with the finding where it has several: `S1`, `IAM5[Resource::*]`. */
export type Rule = string;

/**
 * Says why findings of the review (`review.ts`) are no faults of this resource. Each is written beside the resource that
 * it concerns, in a sentence that a security reviewer can judge; one that explains nothing any more fails the review.
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
 * What a pattern in a policy matches, without the ARN before it, whose references read differently before and after
 * synthesis: `/facts/*` of the ARN of a bucket's objects.
 */
export const patternIn = (resource: string): string =>
  resource.slice(1 + Math.max(resource.lastIndexOf('}'), resource.lastIndexOf('>')));
