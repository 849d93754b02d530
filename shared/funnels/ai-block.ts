import { HttpError } from '../http/errors.ts';
import type { AiBlock, Funnel, FunnelRepository } from './funnel.ts';

/** The AI block of the funnel's published version. @throws Problem 404 when it has none */
export async function getAiBlock(funnels: FunnelRepository, funnel: Funnel): Promise<AiBlock> {
  const version = await funnels.findVersion(funnel);
  if (version?.ai === undefined) throw new HttpError(404, 'This funnel has no AI block (path.id).');
  return version.ai;
}
