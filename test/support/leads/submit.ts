import { randomUUID } from 'node:crypto';
import { createHandler } from '../../../functions/funnel/submit/handler.ts';
import { submitOperation } from '../../../functions/funnel/submit/operation.ts';
import { Field, Funnel, FunnelVersion } from '../../../shared/funnels/funnel.ts';
import type { FunnelRepository } from '../../../shared/funnels/ports.ts';
import { DEFAULT_TOKEN_DAYS } from '../../../shared/leads/lead-handle.ts';
import type { SubmitLeadPorts, SubmitLeadSettings } from '../../../shared/leads/submit-lead.ts';
import { createInMemorySubmitRateLimiter } from '../../../shared/leads/submit-rate-limiter.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { type Answer, caller } from '../http.ts';
import { createInMemoryLeadRepository, NOON } from './lead-repository.ts';

export const aField = (overrides: Partial<Field> & Pick<Field, 'id' | 'type'>): Field => Field.parse(overrides);

type World = {
  fields?: Field[];
  /** Additional published versions by id. */
  versions?: Record<string, Field[]>;
  funnel?: Partial<Funnel>;
  ports?: Partial<SubmitLeadPorts>;
  settings?: SubmitLeadSettings;
};

/** Sets up a published funnel and the submit operation, all in memory. */
export function setUpSubmit({
  fields = [],
  versions = {},
  funnel: overrides = {},
  ports = {},
  settings = { tokenDays: DEFAULT_TOKEN_DAYS },
}: World = {}) {
  const versionId = randomUUID();
  const funnel = Funnel.parse({ id: randomUUID(), orgId: randomUUID(), publishedVersionId: versionId, ...overrides });
  const published = new Map(
    Object.entries({ [versionId]: fields, ...versions }).map(([id, of]) => [
      id,
      FunnelVersion.parse({ id, funnelId: funnel.id, fields: of, country: 'DE' }),
    ]),
  );
  const funnels: FunnelRepository = {
    find: async (id) => (id === funnel.id ? funnel : undefined),
    findVersion: async (of, id = versionId) => (of.id === funnel.id ? published.get(id) : undefined),
  };
  const clock = { ms: NOON, now: () => clock.ms };
  const stored = createInMemoryLeadRepository();
  const submitPorts = {
    funnels,
    leads: stored.leads,
    fileAttacher: { attach: async () => undefined },
    readSecret: async () => 'a secret of the tests',
    rateLimiter: createInMemorySubmitRateLimiter(clock),
    clock,
    ids: systemIdGenerator,
    ...ports,
  };
  const handler = createHandler(submitPorts, settings);
  const call = caller(submitOperation, handler);
  const post = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    call({ path: { id: funnel.id }, body, headers });
  return {
    funnel,
    clock,
    stored,
    call,
    post,
    dataOf: (leadId: string) => Object.fromEntries(stored.dataOf(funnel.id, leadId)),
    /** Creates a lead. Returns its handle as body properties. */
    aHandle: async (data: Record<string, unknown> = {}) => handleIn(await post({ data })),
  };
}

/** Returns the handle in a response, as properties of the next body. */
export function handleIn({ body }: Answer): { lead_id: string; update_token: string } {
  const { data } = body as { data: { id: string; update_token: string } };
  return { lead_id: data.id, update_token: data.update_token };
}
