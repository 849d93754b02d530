import { HttpError } from '../http/errors.ts';
import type { AiBlock, Funnel } from './funnel.ts';
import type { FunnelRepository } from './ports.ts';

/** Returns the AI block of the published version. @throws HttpError 404 if there is none */
export async function getAiBlock(funnels: FunnelRepository, funnel: Funnel): Promise<AiBlock> {
  const version = await funnels.findVersion(funnel);
  if (version?.ai === undefined) throw new HttpError(404, 'The funnel with this id (path.id) has no AI block.');
  return version.ai;
}
