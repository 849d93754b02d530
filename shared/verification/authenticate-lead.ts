import { getActiveFunnel } from '../funnels/active-funnel.ts';
import type { Funnel, FunnelVersion } from '../funnels/funnel.ts';
import type { FunnelRepository } from '../funnels/ports.ts';
import { HttpError } from '../http/errors.ts';
import { uuid } from '../http/schemas.ts';
import { hashToken } from '../leads/lead-handle.ts';
import type { LeadCredentials, LeadVerificationRepository } from '../leads/ports.ts';
import type { Clock } from '../platform/clock.ts';
import type { IdGenerator } from '../platform/id-generator.ts';
import type { Logger } from '../platform/logger.ts';
import { type ContactField, findContactFields, verifiableFields } from './contact-fields.ts';
import { INITIAL_STATE, VerificationState } from './verification-state.ts';

export type LeadAccessPorts = {
  funnels: FunnelRepository;
  leads: LeadVerificationRepository;
  clock: Clock;
  ids: IdGenerator;
};

export type LeadRequest = {
  funnelId: string;
  leadId: string;
  updateToken: string;
  /** Header values by lower-case name. */
  headers: Record<string, string | undefined>;
  sourceIp: string;
  log: Logger;
};

/** A lead whose update token was checked. */
export type AuthenticatedLead = {
  credentials: LeadCredentials;
  funnel: Funnel;
  /** The published version. */
  version: FunnelVersion;
  contacts: readonly ContactField[];
  state: VerificationState;
  /** The stored JSON text of `state`. Undefined if no state is stored yet. */
  storedState: string | undefined;
};

/**
 * Reads a lead with strong consistency and checks its update token.
 *
 * @throws HttpError 404 and 403 for the funnel (see `getActiveFunnel`) and for the lead (see `reloadLead`)
 * @throws UnavailableError while the funnel or the lead can't be read
 */
export async function authenticateLead(
  { funnels, leads, clock }: LeadAccessPorts,
  { funnelId, leadId, updateToken, headers }: LeadRequest,
): Promise<AuthenticatedLead> {
  const funnel = await getActiveFunnel(funnels, clock, funnelId, headers.origin);
  const version = await funnels.findVersion(funnel);
  if (version === undefined)
    throw new Error(
      `Published version ${funnel.publishedVersionId} of funnel ${funnel.id} is missing. Restore it from a backup.`,
    );
  if (!uuid.safeParse(leadId).success) throw leadNotFound();
  const credentials = { funnelId, leadId, tokenHash: hashToken(updateToken), atMs: clock.now() };
  return reloadLead(leads, { credentials, funnel, version });
}

/**
 * Reads the current state of a lead.
 *
 * @throws HttpError 404 if the lead does not exist, 403 if the token is wrong or has expired
 * @throws UnavailableError while the lead can't be read
 */
export async function reloadLead(
  leads: LeadVerificationRepository,
  { credentials, funnel, version }: Pick<AuthenticatedLead, 'credentials' | 'funnel' | 'version'>,
): Promise<AuthenticatedLead> {
  const fields = verifiableFields(version.fields);
  const found = await leads.find(
    credentials,
    fields.map(({ id }) => id),
  );
  if (found.outcome === 'unknown_lead') throw leadNotFound();
  if (found.outcome === 'invalid_token') {
    throw new HttpError(403, 'body.update_token is wrong or has expired.', { code: 'invalid_update_token' });
  }
  const { values, verification } = found.lead;
  return {
    credentials,
    funnel,
    version,
    contacts: findContactFields(credentials, fields, values),
    state: verification === undefined ? INITIAL_STATE : VerificationState.parse(JSON.parse(verification)),
    storedState: verification,
  };
}

const leadNotFound = (): HttpError => new HttpError(404, 'There is no lead with this id in the funnel (body.lead_id).');
