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
 * Rules that cdk-nag and CDK's validation do not have. They must hold for all stacks and settings, also for resources
 * that are added later. All other properties are reviewed in the snapshots.
 */
export const CHECKS = {
  'tables are recoverable, protected, encrypted, retained, and delete expired items': checkTables,
  'buckets are retained, encrypted, require TLS 1.2, and abort incomplete uploads': checkBuckets,
  'secrets, users and the stream are retained, and no secret has a value in a template': checkSecretsAndUsers,
  'queues and topics are encrypted and require TLS': checkQueuesAndTopics,
  'every log group has a retention period, and is retained in prod': checkLogs,
  'resources of a failed deployment are deleted unless they are protected': checkFailedDeployments,
  'no policy of a resource allows an unknown principal or all actions': checkPrincipals,
  'no template contains a secret, an account or a path of this machine': checkSecrets,
  'policies and environments are within the limits of AWS': checkPolicySizes,
  'texts are within the limits that the validation does not check': checkTexts,
  'names of outputs and resources are unique': checkNames,
  'there are no circular dependencies': checkCycles,
} satisfies Readonly<Record<string, Check>>;
