import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Id of an AWS Solutions rule, for example `S1`. If the rule returns a list of findings, the id also contains one
 * finding: `IAM5[Resource::*]`.
 */
export type Rule = string;

/**
 * Acknowledges findings of the review (`review.ts`) at one resource. Each reason must be a sentence that a security
 * reviewer can judge. The review fails if an acknowledgement matches no finding.
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
 * Returns the part of a policy resource after its last reference, for example `/facts/*` for objects of a bucket.
 * Comparisons use only this part, because synthesis changes how references are written.
 */
export const patternIn = (resource: string): string =>
  resource.slice(1 + Math.max(resource.lastIndexOf('}'), resource.lastIndexOf('>')));
