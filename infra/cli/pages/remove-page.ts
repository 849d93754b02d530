import type { LandingPage } from '../../../shared/landing-pages/landing-page.ts';
import type { PageWriter } from '../../../shared/landing-pages/ports.ts';
import { type RollBackPorts, rollBackPageWrite } from '../../../shared/landing-pages/sweep-page-writes.ts';

/** Then it is gone, or its removal died: a sweeper goes on. */
const REMOVAL_MS = 15 * 60_000;

export type RemovePagePorts = RollBackPorts & {
  writes: Pick<PageWriter, 'putIntent' | 'deleteIntent'>;
  /** Takes the page's own record away. */
  deleteRecord(page: LandingPage): Promise<void>;
  /** Has the page's domain show it no more. */
  unbind(page: LandingPage): Promise<void>;
};

/**
 * Removes a page with its blocks and the files that no other page shows. With its record it is gone; what is left then is an attempt like any other,
 * which a sweeper clears up where this dies.
 */
export async function removePage(ports: RemovePagePorts, page: LandingPage): Promise<void> {
  const attempt = { orgId: page.orgId, pageId: page.id };
  await ports.unbind(page);
  await ports.writes.putIntent(attempt, ports.clock.now() + REMOVAL_MS);
  await ports.deleteRecord(page);
  await rollBackPageWrite(ports, attempt);
  await ports.writes.deleteIntent(attempt);
}
