import type { LandingPage } from './landing-page.ts';
import type { PageWrites } from './pages.ts';
import { removeUncommitted, type UncommittedPorts } from './sweep-copies.ts';

/** Then it is gone, or its removal died: a sweeper goes on. */
const REMOVAL_MS = 15 * 60_000;

export type RemovePorts = UncommittedPorts & {
  writes: Pick<PageWrites, 'begin' | 'forget'>;
  /** Takes the page's own record away. */
  removeRecord(page: LandingPage): Promise<void>;
  /** Has the page's domain show it no more. */
  unbind(page: LandingPage): Promise<void>;
};

/**
 * Removes a page with its blocks and the files that no other page shows. With its record it is gone; what is left then is an attempt like any other,
 * which a sweeper clears up where this dies.
 */
export async function removePage(ports: RemovePorts, page: LandingPage): Promise<void> {
  const attempt = { orgId: page.orgId, pageId: page.id };
  await ports.unbind(page);
  await ports.writes.begin(attempt, ports.clock.now() + REMOVAL_MS);
  await ports.removeRecord(page);
  await removeUncommitted(ports, attempt);
  await ports.writes.forget(attempt);
}
