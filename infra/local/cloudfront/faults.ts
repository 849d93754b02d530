import * as z from 'zod/mini';

/**
 * A fault to inject into the next requests. `error` sends an error response in the format of AWS. `response` sends the
 * given status and body. `lost` runs the operation and closes the connection without a response. `stalled` never
 * responds. `endless` begins a response that never ends.
 */
const Fault = z.object({
  /** The name of an operation, such as `UpdateDistributionTenant`. Default: any operation. */
  operation: z.optional(z.string()),
  times: z._default(z.int().check(z.minimum(1)), 1),
  effect: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('error'), status: z.int().check(z.minimum(400), z.maximum(599)), code: z.string() }),
    z.object({ kind: z.literal('response'), status: z.int().check(z.minimum(200), z.maximum(599)), body: z.string() }),
    z.object({ kind: z.enum(['lost', 'stalled', 'endless']) }),
  ]),
});
export const Faults = z.array(Fault);
export type FaultEffect = z.infer<typeof Fault>['effect'];

/**
 * Creates the list of faults to inject. `next` returns the effect of the first fault that applies to the operation;
 * undefined if there is none. A fault applies to `times` operations.
 */
export function createFaultList() {
  let faults: z.infer<typeof Faults> = [];
  return {
    set: (list: z.infer<typeof Faults>) => {
      faults = list;
    },
    next: (operation: string): FaultEffect | undefined => {
      const fault = faults.find((candidate) => candidate.operation === undefined || candidate.operation === operation);
      if (fault === undefined) return undefined;
      const remaining = fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : [];
      faults = faults.flatMap((other) => (other === fault ? remaining : [other]));
      return fault.effect;
    },
  };
}
