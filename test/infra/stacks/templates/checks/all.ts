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

/** What holds for every stack of every deployment, by what it says. */
export const CHECKS = {
  'tables are recoverable, protected, encrypted, kept, and forget what has expired': tablesAreSafe,
  'buckets are private, encrypted, reached by TLS 1.2 alone, and give up unfinished uploads': bucketsAreClosed,
  'secrets, users and the stream are kept, and no secret has a value in a template': otherStateIsSafe,
  'what a failed deployment made goes, but for what is protected': failedDeploymentsLeaveNothing,
  'every log forgets, and is kept in prod when its stack goes': everyLogForgets,
  'queues and topics are encrypted, and take messages by TLS alone': messagesAreSafe,
  'every function is declared, and runs as declared': functionsAreAsDeclared,
  'every function has a log and a role of its own': functionsHaveLogsAndRolesOfTheirOwn,
  'what runs without a caller keeps its failures': failuresAreKept,
  'roles say all that they may do, themselves': rolesSayWhatTheyMayDo,
  'no grant is for everything, but where AWS knows nothing narrower': noWildcardGrants,
  'no policy lets in whom nobody knows': nobodyUnknownIsAllowed,
  'routes are exactly the declared ones, each with its preflight and its 405; every other path has its 404':
    routesAreTheDeclaredOnes,
  'a path has one variable at a place': pathsCanStandTogether,
  'no method has an authorizer: functions verify tokens': methodsAreOpenOnPurpose,
  'every method that reaches a function has a throttle, and no execution log': everyMethodHasAThrottle,
  'every answer of the gateway itself can be read by pages': gatewayAnswersAreReadable,
  'preflights and refusals can be read by pages': preflightsAndRefusalsAreReadable,
  'what a template names is there': referencesExist,
  'stacks need only earlier ones, and are deployed after them': stacksNeedOnlyEarlierOnes,
  'no resource waits for itself': noResourceWaitsForItself,
  'no output, export or name of a resource is there twice': namesAreUnique,
  'stacks are within the limits of CloudFormation, with room for more': stacksAreWithinLimits,
  'names and descriptions are within the limits of AWS': textsAreWithinLimits,
  'policies and environments are within the limits of AWS': policiesAndEnvironmentsAreWithinLimits,
  'policies of queues are within the limits of AWS': queuePoliciesAreWithinLimits,
  'the firewall has rules that WAF takes': firewallRulesAreTaken,
  'no template holds a secret, an account or a folder of this machine': nothingSecretIsWritten,
} satisfies Readonly<Record<string, Check>>;
