import type { Check } from '../template.ts';
import { failuresAreKept, functionsAreAsDeclared, functionsHaveLogsAndRolesOfTheirOwn } from './functions.ts';
import {
  everyMethodHasAThrottle,
  gatewayAnswersAreReadable,
  methodsAreOpenOnPurpose,
  pathsCanStandTogether,
  preflightsAndRefusalsAreReadable,
  routesAreTheDeclaredOnes,
} from './gateway.ts';
import {
  nothingSecretIsWritten,
  policiesAndEnvironmentsAreWithinLimits,
  stacksAreWithinLimits,
  textsAreWithinLimits,
} from './limits.ts';
import { nobodyUnknownIsAllowed, noWildcardGrants, rolesSayWhatTheyMayDo } from './policies.ts';
import { namesAreUnique, noResourceWaitsForItself, referencesExist, stacksNeedOnlyEarlierOnes } from './references.ts';
import { firewallRulesAreTaken, queuePoliciesAreWithinLimits } from './rules.ts';
import {
  bucketsAreClosed,
  everyLogForgets,
  failedDeploymentsLeaveNothing,
  messagesAreSafe,
  otherStateIsSafe,
  tablesAreSafe,
} from './storage.ts';

/** The invariants of every stack in every deployment, by description. */
export const CHECKS = {
  'tables are recoverable, protected, encrypted, retained, and delete expired items': tablesAreSafe,
  'buckets are private, encrypted, require TLS 1.2, and abort incomplete uploads': bucketsAreClosed,
  'secrets, users and the stream are retained, and no secret has a value in a template': otherStateIsSafe,
  'resources of a failed deployment are deleted unless they are protected': failedDeploymentsLeaveNothing,
  'every log group has a retention period, and is retained in prod': everyLogForgets,
  'queues and topics are encrypted and require TLS': messagesAreSafe,
  'every function is declared, and runs as declared': functionsAreAsDeclared,
  'every function has a log and a role of its own': functionsHaveLogsAndRolesOfTheirOwn,
  'failures of functions without a caller are kept': failuresAreKept,
  'roles contain all of their permissions': rolesSayWhatTheyMayDo,
  'permissions on all resources exist only for actions without resource-level permissions': noWildcardGrants,
  'no policy allows an unknown principal': nobodyUnknownIsAllowed,
  'routes are exactly the declared ones, each with its preflight and its 405; every other path has a 404':
    routesAreTheDeclaredOnes,
  'a path has at most one variable at each position': pathsCanStandTogether,
  'no method has an authorizer: functions verify tokens': methodsAreOpenOnPurpose,
  'every method that reaches a function has a throttle, and no execution log': everyMethodHasAThrottle,
  'pages can read every gateway response': gatewayAnswersAreReadable,
  'pages can read responses to preflights and to wrong methods': preflightsAndRefusalsAreReadable,
  'every reference of a template exists': referencesExist,
  'stacks depend only on earlier ones, and are deployed after them': stacksNeedOnlyEarlierOnes,
  'there are no circular dependencies': noResourceWaitsForItself,
  'outputs, exports and names of resources are unique': namesAreUnique,
  'stacks are within the limits of CloudFormation, with room for more': stacksAreWithinLimits,
  'names and descriptions are within the limits of AWS': textsAreWithinLimits,
  'policies and environments are within the limits of AWS': policiesAndEnvironmentsAreWithinLimits,
  'policies of queues are within the limits of AWS': queuePoliciesAreWithinLimits,
  'WAF accepts the rules of the firewall': firewallRulesAreTaken,
  'no template contains a secret, an account or a folder of this machine': nothingSecretIsWritten,
} satisfies Readonly<Record<string, Check>>;
