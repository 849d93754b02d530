import type { LandingPage } from '../../../shared/landing-pages/landing-page.ts';
import type { PageWriter } from '../../../shared/landing-pages/ports.ts';
import { type RollBackPorts, rollBackPageWrite } from '../../../shared/landing-pages/sweep-page-writes.ts';

/** After this time, the sweeper assumes that the command crashed. If the removal was committed, it completes it. */
const REMOVAL_TIMEOUT_MS = 15 * 60_000;

export type RemovePagePorts = RollBackPorts & {
  writes: Pick<PageWriter, 'putIntent' | 'deleteIntent'>;
  /** Deletes the page's own record. */
  deleteRecord(page: LandingPage): Promise<void>;
  unbind(page: LandingPage): Promise<void>;
};

/**
 * Removes a page with its blocks and the files that no other page refers to. Deleting the page's own record commits the
 * removal. Blocks and files are deleted after the commit. If the command crashes after the commit, the sweeper deletes
 * them. If it crashes before the commit, the page stays, but may already be unbound from its domain.
 */
export async function removePage(ports: RemovePagePorts, page: LandingPage): Promise<void> {
  const intent = { orgId: page.orgId, pageId: page.id };
  await ports.unbind(page);
  await ports.writes.putIntent(intent, ports.clock.now() + REMOVAL_TIMEOUT_MS);
  await ports.deleteRecord(page);
  await rollBackPageWrite(ports, intent);
  await ports.writes.deleteIntent(intent);
}
