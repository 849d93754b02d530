import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamoFunnelsDesk } from '../../shared/directory/dynamo-funnels-desk.ts';
import type { FunnelFile } from '../../shared/directory/funnel-file.ts';
import type { FunnelsDesk } from '../../shared/directory/funnels-desk.ts';
import { createFunnel } from '../../shared/directory/keep-funnel.ts';
import { type PublicationPlan, planFile, publishPlan } from '../../shared/directory/publish-funnel.ts';
import { systemIds } from '../../shared/platform/ids.ts';
import { NOON } from './leads/lead-repository.ts';
import { documents } from './leads/stored-leads.ts';

const ticking = () => {
  let ms = NOON;
  return { now: () => ms++ };
};

/** Funnels in the tests' DynamoDB, at a clock of their own. */
export function aFunnelDesk() {
  const ports = { desk: dynamoFunnelsDesk(documents()), clock: ticking(), ids: systemIds };
  const publish = async (funnelId: string, file: FunnelFile): Promise<PublicationPlan> => {
    const plan = await planFile(ports.desk, funnelId, file);
    await publishPlan(ports, plan);
    return plan;
  };
  return {
    ...ports,
    ports,
    publish,
    /** A funnel that these files were published of, one after the other. */
    aFunnel: async (...files: [FunnelFile, ...FunnelFile[]]) => {
      const funnel = await createFunnel(ports, randomUUID(), files[0]);
      const versionIds: string[] = [];
      for (const file of files) versionIds.push((await publish(funnel.id, file)).version.id);
      return { ...funnel, versionIds };
    },
  };
}

/**
 * A desk whose process is killed at its nth write, before it or right behind it.
 *
 * @returns `writes`: how many there were
 */
export function aMortalDesk(dieAt: number, when: 'before' | 'behind'): { desk: FunnelsDesk; writes: () => number } {
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
    // Also behind one that changes nothing, as its condition does not hold.
    await answer.catch(() => undefined);
    return die();
  };
  const mortal = new Proxy(client, { get: (target, name) => (name === 'send' ? send : Reflect.get(target, name)) });
  return { desk: dynamoFunnelsDesk(mortal), writes: () => writes };
}
