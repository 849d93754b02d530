import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { REMOVAL_STEPS, toDomainIds } from '../../../shared/domains/domain.ts';
import { BINDING_HOLD_MS } from '../../../shared/domains/schedule.ts';
import { FAULTS, injector, leftOf, settle } from '../../support/domains/domain-runs.ts';
import { aServedDomain, domainWorld } from '../../support/domains/domain-world.ts';
import { isoAt, NOON } from '../../support/domains/domains.ts';

const RUNS = 1_000;

/** The actions that run concurrently, each in a separate process. */
const ACTIONS = ['function', 'second function', 'sweeper', 'second sweeper', 'bind', 'second request'] as const;

const SLOW: ReadonlySet<string> = new Set(['edge.create', 'pages.bind']);

const story = fc.record({
  actions: fc.shuffledSubarray([...ACTIONS], { minLength: 1 }),
  status: fc.constantFrom('pending' as const, 'verified' as const, 'active' as const),
  jumps: fc.array(fc.integer({ min: 0, max: 4 * 60_000 }), { maxLength: 4 }),
  faults: fc.array(fc.option(fc.constantFrom(...FAULTS), { nil: undefined, freq: 9 }), { maxLength: 60 }),
  polls: fc.integer({ min: 0, max: 3 }),
  /** Additional scheduler steps before the effects in `SLOW`. They let a removal overtake these effects. */
  slowness: fc.integer({ min: 0, max: 40 }),
});

test(`after ${RUNS} interleavings of removals, provisionings, bindings and faults, nothing of a removed domain is left`, async () => {
  const requests = new Set<number>();
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), story, async (scheduler, { actions, status, jumps, faults, polls, slowness }) => {
      const world = domainWorld({ polls });
      const domain = await aServedDomain(world, { status, dueAt: status === 'active' ? null : isoAt(NOON) });
      const ids = toDomainIds(domain);
      const pageId = randomUUID();
      await world.pages.add(domain.orgId, pageId, null);
      const steps = watchSteps(world.domains);
      const { process } = injector(world, (effect) => faults[effect]);
      const schedule = () => scheduler.schedule(Promise.resolve());
      // Every effect waits for the scheduler.
      const processOf = (lifeMs?: number) => {
        const around = process(lifeMs);
        return world.processOf(async (effect, work) => {
          const repeats = SLOW.has(effect) ? 1 + slowness : 1;
          for (let time = 0; time < repeats; time++) await schedule();
          return around(effect, work);
        });
      };
      const often = async (work: () => Promise<unknown>) => {
        for (let time = 0; time < 3; time++) await work().catch(() => undefined);
      };
      let removals = 0;
      const request = () =>
        processOf()
          .request(ids)
          .then(() => void removals++);
      const run: Record<(typeof ACTIONS)[number], () => Promise<unknown>> = {
        function: () => often(() => processOf().remove(ids)),
        'second function': () => often(() => processOf().remove(ids)),
        sweeper: () => often(() => processOf().sweep()),
        'second sweeper': () => often(() => processOf().sweep()),
        // A removal waits at most `BINDING_HOLD_MS` for a process that binds a page. After this time, the test kills
        // the process. In a deployment, the process ends earlier, because requests to the table end within seconds.
        bind: () => processOf(BINDING_HOLD_MS).bind(ids, pageId),
        'second request': request,
      };
      const jump = async (ms: number) => {
        await schedule();
        world.clock.ms += ms;
      };
      const all = [request, ...actions.map((action) => run[action])].map((work) => work().catch(() => undefined));
      await scheduler.waitFor(Promise.all([...all, ...jumps.map(jump)]));
      requests.add(removals);
      await world
        .processOf()
        .request(ids)
        .catch(() => undefined);
      await settle(world, ids);
      expect(await leftOf(world, domain)).toEqual([]);
      expect(steps).toEqual(steps.toSorted((one, other) => one - other));
    }),
    { numRuns: RUNS },
  );
  // At most one request of a run succeeds. A second request fails, because the domain is already being removed.
  expect([...requests].sort()).toEqual([0, 1]);
}, 120_000);

/** Records the steps of a removal in the order in which they are written. */
function watchSteps(domains: ReturnType<typeof domainWorld>['domains']): number[] {
  const steps: number[] = [];
  const { update: change } = domains;
  domains.update = async (seen, changes) => {
    const changed = await change(seen, changes);
    if (changed?.removal) steps.push(REMOVAL_STEPS.indexOf(changed.removal.step));
    return changed;
  };
  return steps;
}
