import type { AiBlock, Funnel, FunnelRepository } from '../funnels/funnel.ts';
import { Problem } from '../http/problem.ts';

/** The AI block of the funnel's published version. @throws Problem 404 when it has none */
export async function findAiBlock(funnels: FunnelRepository, funnel: Funnel): Promise<AiBlock> {
  const version = await funnels.findVersion(funnel);
  if (version?.ai === undefined) throw new Problem(404, 'This funnel has no AI block (path.id).');
  return version.ai;
}
