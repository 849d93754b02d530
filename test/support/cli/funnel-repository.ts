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

/** Funnels in the tests' DynamoDB, with their own clock. */
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
    /** A funnel to which these files were published, one after the other. */
    aFunnel: async (...files: [FunnelDefinition, ...FunnelDefinition[]]) => {
      const funnel = await createFunnel(ports, randomUUID(), files[0]);
      const versionIds: string[] = [];
      for (const file of files) versionIds.push((await publish(funnel.id, file)).version.id);
      return { ...funnel, versionIds };
    },
  };
}

/**
 * A repository whose process is killed at its nth write, before or directly after it.
 *
 * @returns `writes`: the number of writes
 */
export function aCrashingFunnelRepository(
  dieAt: number,
  when: 'before' | 'behind',
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
    // Also after a write that changes nothing because its condition fails.
    await answer.catch(() => undefined);
    return die();
  };
  const mortal = new Proxy(client, { get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)) });
  return { funnels: createDynamoFunnelAdminRepository(mortal), writes: () => writes };
}
