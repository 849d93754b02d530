import { type CfnResource, type PolicyViolation, Stack, Stage, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, type IApplyRule, NagRuleCompliance, type NagRuleResult } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { patternIn } from './acknowledge-findings.ts';

type Report = ReturnType<AwsSolutionsChecks['validateScope']>;

/** Prefix that aws-cdk-lib adds to the ids of acknowledgements since version 2.262. */
const NAMESPACE = /^annotation::/i;

/**
 * The AWS Solutions rules of cdk-nag, with additional checks of acknowledgements (`acknowledge-findings.ts`). An
 * acknowledgement must belong to a resource, not to a stack, and must match a finding. Its reason must be a sentence.
 * If a finding is about a wildcard in a policy, its id contains the pattern (`IAM5[Resource::/facts/*]`). Therefore, an
 * acknowledgement applies to one pattern.
 */
export class SecurityReview extends AwsSolutionsChecks {
  /** Ids of findings by the path of the resource. */
  readonly #found = new Map<string, Set<string>>();

  override validateScope(scope: IConstruct): Report {
    this.#found.clear();
    const { violations: unexplained } = super.validateScope(scope);
    const violations = [...unexplained, ...this.#issuesOfAcknowledgements(scope)];
    return { success: violations.length === 0, violations };
  }

  protected override applyRule(params: IApplyRule): void {
    const rule = params.ruleSuffixOverride ?? params.rule.name;
    super.applyRule({
      ...params,
      ruleSuffixOverride: rule,
      rule: (node) => this.#noted(node, rule, findingsOf(params, node)),
    });
  }

  #noted(node: CfnResource, rule: string, result: NagRuleResult | Error): NagRuleResult {
    const found = this.#found.get(node.node.path) ?? new Set();
    this.#found.set(node.node.path, found);
    for (const id of idsOf(`${this.packName}-${rule}`, result)) found.add(id);
    if (result instanceof Error) throw result;
    return result;
  }

  #issuesOfAcknowledgements(scope: IConstruct): PolicyViolation[] {
    return scope.node.findAll().flatMap((construct) =>
      this.#acknowledgedAt(construct).flatMap(([id, reason]) => {
        const issue = this.#issueOf(construct, id, reason);
        return issue === undefined ? [] : [violation(`Review-Explanation[${id}]`, issue, construct)];
      }),
    );
  }

  #acknowledgedAt({ node }: IConstruct): [id: string, reason: string][] {
    return node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries<string>(data))
      .map(([id, reason]) => [id.replace(NAMESPACE, ''), reason] as [string, string])
      .filter(([id]) => id.startsWith(this.packName));
  }

  #issueOf(construct: IConstruct, id: string, reason: string): string | undefined {
    if (Stack.isStack(construct) || Stage.isStage(construct))
      return 'Acknowledge findings at one resource. At a stack, this would also hide findings of new resources.';
    if (!/^[A-Z`].{40,}\.$/s.test(reason))
      return 'The reason must be a sentence of at least 42 characters, from a capital letter to a full stop.';
    const explains = construct.node.findAll().some(({ node }) => this.#found.get(node.path)?.has(id));
    return explains ? undefined : 'This acknowledgement matches no finding of its resource. Remove it.';
  }
}

/**
 * Returns the findings of a rule. Returns the error if the rule throws, for example because a value is known only at
 * deployment.
 */
function findingsOf({ rule }: IApplyRule, node: CfnResource): NagRuleResult | Error {
  try {
    const result = rule(node);
    return Array.isArray(result) ? [...new Set(result.map(named))] : result;
  } catch (failure) {
    return failure instanceof Error ? failure : new Error(String(failure));
  }
}

const named = (finding: string): string =>
  finding.replace(/^(Resource::)(.*)$/s, (_, kind, arn) => kind + patternIn(arn));

function idsOf(rule: string, result: NagRuleResult | Error): string[] {
  if (Array.isArray(result)) return result.map((finding) => `${rule}[${finding}]`);
  return result instanceof Error || result === NagRuleCompliance.NON_COMPLIANT ? [rule] : [];
}

const violation = (ruleName: string, description: string, { node }: IConstruct): PolicyViolation => ({
  ruleName,
  description,
  severity: 'error',
  violatingResources: [{ constructPath: node.path, locations: [] }],
});
