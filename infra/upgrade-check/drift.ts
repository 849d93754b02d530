import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CloudFormationClient,
  DescribeStackDriftDetectionStatusCommand,
  DetectStackDriftCommand,
  type PropertyDifference,
  paginateDescribeStackResourceDrifts,
  type StackResourceDrift,
} from '@aws-sdk/client-cloudformation';
import { formatDuration } from '../cli/terminal/format.ts';
import { orProblem } from './rejected-calls.ts';
import type { Problem } from './template-changes.ts';

/** A resource that differs from the deployed template. */
export type Drift = {
  /** Logical id. */
  id: string;
  type: string;
  /** Name or ARN in AWS. */
  physicalId: string | undefined;
  /** One line for each difference. */
  differences: string[];
};

/** The drift of one stack. `problems` says which drift could not be detected. */
export type StackDrift = { name: string; drifts: readonly Drift[]; problems: readonly Problem[] };

export type DriftWait = { limitMs: number; pollMs: number };

const CALLS = ['DetectStackDrift', 'DescribeStackDriftDetectionStatus', 'DescribeStackResourceDrifts'];

/** Compares the resources of a stack with the template that was deployed, and waits for the result. */
export async function detectDrift(client: CloudFormationClient, name: string, wait: DriftWait): Promise<StackDrift> {
  const where = `Drift of ${name}`;
  const found = await orProblem(where, CALLS, async () => {
    const detection = await finishedDetection(client, name, wait);
    return detection && { detection, resources: await resourceDrifts(client, name) };
  });
  if (found === undefined) {
    const reason = `The detection has not finished after ${formatDuration(wait.limitMs)}.`;
    return { name, drifts: [], problems: [{ where, reason, advice: RETRY }] };
  }
  if ('problem' in found) return { name, drifts: [], problems: [found.problem] };
  const { detection, resources } = found;
  const unknown = resources.filter(({ StackResourceDriftStatus: status }) => status === 'UNKNOWN');
  const problems = unknown.map(({ LogicalResourceId, DriftStatusReason: reason }) =>
    notCompared(`Drift of ${name}: ${LogicalResourceId}`, reason),
  );
  // If the detection failed because of a resource, `problems` already contains the reason.
  if (detection.DetectionStatus === 'DETECTION_FAILED' && problems.length === 0)
    problems.push(notCompared(where, detection.DetectionStatusReason));
  return { name, drifts: resources.flatMap(toDrift), problems };
}

const RETRY = 'Run this check again, or add --no-drift to skip the detection.';

const notCompared = (where: string, reason = 'CloudFormation gives no reason.'): Problem => ({
  where,
  reason: `CloudFormation could not detect the drift: ${reason}`,
  advice: `CloudFormation reads each resource with your credentials. If a permission is missing, grant it. ${RETRY}`,
});

/** Starts a detection and waits for its end. Returns undefined if the detection takes longer than `limitMs`. */
async function finishedDetection(client: CloudFormationClient, name: string, { limitMs, pollMs }: DriftWait) {
  const endsAtMs = Date.now() + limitMs;
  const { StackDriftDetectionId } = await client.send(new DetectStackDriftCommand({ StackName: name }));
  for (;;) {
    const detection = await client.send(new DescribeStackDriftDetectionStatusCommand({ StackDriftDetectionId }));
    if (detection.DetectionStatus !== 'DETECTION_IN_PROGRESS') return detection;
    if (Date.now() + pollMs > endsAtMs) return undefined;
    await sleep(pollMs);
  }
}

async function resourceDrifts(client: CloudFormationClient, stackName: string): Promise<StackResourceDrift[]> {
  const found: StackResourceDrift[] = [];
  const pages = paginateDescribeStackResourceDrifts(
    { client },
    { StackName: stackName, StackResourceDriftStatusFilters: ['MODIFIED', 'DELETED', 'UNKNOWN'] },
  );
  for await (const { StackResourceDrifts = [] } of pages) found.push(...StackResourceDrifts);
  return found;
}

function toDrift(drift: StackResourceDrift): Drift[] {
  const { LogicalResourceId = '', ResourceType = '', PhysicalResourceId, StackResourceDriftStatus } = drift;
  if (StackResourceDriftStatus === 'UNKNOWN') return [];
  const differences =
    StackResourceDriftStatus === 'DELETED'
      ? ['deleted outside CloudFormation']
      : (drift.PropertyDifferences ?? []).map(difference);
  return [{ id: LogicalResourceId, type: ResourceType, physicalId: PhysicalResourceId, differences }];
}

/** Longer values are shortened, because values such as policies would hide the other differences. */
const VALUE_CHARACTERS_MAX = 160;

const shortened = (value: string): string =>
  value.length <= VALUE_CHARACTERS_MAX ? value : `${value.slice(0, VALUE_CHARACTERS_MAX)}…`;

function difference({ PropertyPath = '', ExpectedValue, ActualValue, DifferenceType }: PropertyDifference): string {
  const property = PropertyPath.replace(/^\//, '').replaceAll('/', '.');
  const [expected, actual] = [shortened(ExpectedValue ?? ''), shortened(ActualValue ?? '')];
  if (DifferenceType === 'ADD') return `${property}: expected no value, actual ${actual}`;
  if (DifferenceType === 'REMOVE') return `${property}: expected ${expected}, actual no value`;
  return `${property}: expected ${expected}, actual ${actual}`;
}
