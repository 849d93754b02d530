import type { Check } from '../template.ts';
import { checkCycles, checkNames, checkPolicySizes, checkSecrets, checkTexts } from './limits.ts';
import { checkPrincipals } from './policies.ts';
import {
  checkBuckets,
  checkFailedDeployments,
  checkLogs,
  checkQueuesAndTopics,
  checkSecretsAndUsers,
  checkTables,
} from './storage.ts';

/**
 * Rules for all stacks and settings. cdk-nag and CDK's validation do not check these rules. Properties without a rule
 * are reviewed in the snapshots.
 */
export const CHECKS = {
  'tables are encrypted and delete expired items; in prod, they are recoverable, protected and retained': checkTables,
  'buckets are encrypted, require TLS 1.2 and abort incomplete uploads; in prod, they are retained': checkBuckets,
  'no secret has a value in a template; in prod, secrets, users and the stream are retained': checkSecretsAndUsers,
  'queues and topics are encrypted and require TLS': checkQueuesAndTopics,
  'every log group has a retention period, and is retained in prod': checkLogs,
  'resources of a failed deployment are deleted unless they are protected': checkFailedDeployments,
  'no policy of a resource allows an unknown principal or all actions': checkPrincipals,
  'no template contains a secret, an account id or a path of this machine': checkSecrets,
  'policies and environments are within the limits of AWS': checkPolicySizes,
  'texts are within the limits that the validation of CDK does not check': checkTexts,
  'names of outputs and resources are unique': checkNames,
  'there are no circular dependencies': checkCycles,
} satisfies Readonly<Record<string, Check>>;
