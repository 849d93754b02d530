import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { FunnelDefinition } from '../../../infra/cli/funnels/definition/funnel-definition.ts';
import {
  createDynamoFunnelAdminRepository,
  type FunnelAdminRepository,
} from '../../../infra/cli/funnels/dynamo-funnel-admin-repository.ts';
import { createFunnel } from '../../../infra/cli/funnels/funnel-lifecycle.ts';
import { applyPublication, type PublicationPlan, planDefinition } from '../../../infra/cli/funnels/publication.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { NOON } from '../leads/lead-repository.ts';
import { documents } from '../leads/stored-leads.ts';

const ticking = () => {
  let ms = NOON;
  return { now: () => ms++ };
};

/** Creates a funnel repository in the DynamoDB of the tests. The clock advances each time it is read. */
export function aFunnelRepository() {
  const ports = { funnels: createDynamoFunnelAdminRepository(documents()), clock: ticking(), ids: systemIdGenerator };
  const publish = async (funnelId: string, file: FunnelDefinition): Promise<PublicationPlan> => {
    const plan = await planDefinition(ports.funnels, funnelId, file);
    await applyPublication(ports, plan);
    return plan;
  };
  return {
    ...ports,
    ports,
    publish,
    /** Creates a funnel and publishes the files as versions of the funnel, one after the other. */
    aFunnel: async (...files: [FunnelDefinition, ...FunnelDefinition[]]) => {
      const funnel = await createFunnel(ports, randomUUID(), files[0]);
      const versionIds: string[] = [];
      for (const file of files) versionIds.push((await publish(funnel.id, file)).version.id);
      return { ...funnel, versionIds };
    },
  };
}

/**
 * Creates a repository whose process is killed directly before or after the write with the index `dieAt`.
 *
 * @returns `writes`: the number of writes
 */
export function aCrashingFunnelRepository(
  dieAt: number,
  when: 'before' | 'after',
): { funnels: FunnelAdminRepository; writes: () => number } {
  const client = documents();
  let writes = 0;
  let dead = false;
  const die = () => {
    dead = true;
    throw new Error('killed');
  };
  const send = async (command: Parameters<DynamoDBDocumentClient['send']>[0]) => {
    if (dead) throw new Error('killed');
    const isLast = /Put|Update/.test(command.constructor.name) && writes++ === dieAt;
    if (isLast && when === 'before') die();
    const answer = client.send(command);
    if (!isLast) return answer;
    // The process also dies after a write whose condition fails.
    await answer.catch(() => undefined);
    return die();
  };
  const crashing = new Proxy(client, { get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)) });
  return { funnels: createDynamoFunnelAdminRepository(crashing), writes: () => writes };
}
