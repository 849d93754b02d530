import type { AiBlock, Funnel, Funnels } from '../directory/funnel.ts';
import { Problem } from '../http/problem.ts';

/** The AI block of the funnel's published version. @throws Problem 404 when it has none */
export async function findAiBlock(funnels: Funnels, funnel: Funnel): Promise<AiBlock> {
  const version = await funnels.version(funnel);
  if (version?.ai === undefined) throw new Problem(404, 'This funnel has no AI block (path.id).');
  return version.ai;
}
