import * as z from 'zod/mini';

/**
 * What shall go wrong with one of the next calls: an error by its name, a body that makes no sense, an answer that is
 * lost after the work was done, one that never comes, or one that begins and never ends.
 */
const Fault = z.object({
  /** `UpdateDistributionTenant`; absent: any. */
  operation: z.optional(z.string()),
  times: z._default(z.int().check(z.minimum(1)), 1),
  effect: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('error'), status: z.int().check(z.minimum(400), z.maximum(599)), code: z.string() }),
    z.object({ kind: z.literal('answer'), status: z.int().check(z.minimum(200), z.maximum(599)), body: z.string() }),
    z.object({ kind: z.enum(['lost', 'stalled', 'endless']) }),
  ]),
});
export const Faults = z.array(Fault);
export type FaultEffect = z.infer<typeof Fault>['effect'];

/** Faults in their order, each used as often as it says. Not kept: a restart forgets them. */
export function createFaultList() {
  let faults: z.infer<typeof Faults> = [];
  return {
    set: (given: z.infer<typeof Faults>) => {
      faults = given;
    },
    next: (operation: string): FaultEffect | undefined => {
      const fault = faults.find((one) => one.operation === undefined || one.operation === operation);
      if (fault === undefined) return undefined;
      const left = fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : [];
      faults = faults.flatMap((one) => (one === fault ? left : [one]));
      return fault.effect;
    },
  };
}
