import { getActiveFunnel } from '../funnels/active-funnel.ts';
import type { Funnel, FunnelRepository, FunnelVersion } from '../funnels/funnel.ts';
import { HttpError } from '../http/errors.ts';
import { uuid } from '../http/schemas.ts';
import { hashToken } from '../leads/lead-handle.ts';
import type { LeadCredentials, LeadVerificationRepository, VerifiableLead } from '../leads/lead-verification.ts';
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

/** Who asks, and for which lead. */
export type LeadRequest = {
  funnelId: string;
  leadId: string;
  updateToken: string;
  /** By lower-cased name. */
  headers: Record<string, string | undefined>;
  sourceIp: string;
  log: Logger;
};

/** A lead whose caller has proved that it is theirs. */
export type AuthenticatedLead = {
  credentials: LeadCredentials;
  funnel: Funnel;
  version: FunnelVersion;
  contacts: readonly ContactField[];
  state: VerificationState;
  /** The state as it is stored. */
  storedState: string | undefined;
};

/**
 * The lead as the funnel's published version sees it, read consistently.
 *
 * @throws Problem 404 and 403 for the funnel (see `openFunnel`), then 404 and 403 for the lead
 */
export async function authenticateLead(
  { funnels, leads, clock }: LeadAccessPorts,
  call: LeadRequest,
): Promise<AuthenticatedLead> {
  const funnel = await getActiveFunnel(funnels, clock, call.funnelId, call.headers.origin);
  const version = await publishedVersion(funnels, funnel);
  if (!uuid.safeParse(call.leadId).success) throw leadNotFound();
  const { funnelId, leadId } = call;
  const proof = { funnelId, leadId, tokenHash: hashToken(call.updateToken), atMs: clock.now() };
  return reloadLead(leads, { credentials: proof, funnel, version });
}

type Known = Pick<AuthenticatedLead, 'credentials' | 'funnel' | 'version'>;

/** The lead as it is by now. @throws Problem 404 and 403 for the lead */
export async function reloadLead(
  leads: LeadVerificationRepository,
  { credentials: proof, funnel, version }: Known,
): Promise<AuthenticatedLead> {
  const fields = verifiableFields(version.fields);
  const ids = fields.map(({ id }) => id);
  const answer = await leads.find(proof, ids);
  if (answer.outcome === 'unknown_lead') throw leadNotFound();
  if (answer.outcome === 'invalid_token') {
    throw new HttpError(403, 'body.update_token is wrong or has expired.', { code: 'invalid_update_token' });
  }
  const { values, verification } = answer.lead;
  return {
    credentials: proof,
    funnel,
    version,
    contacts: findContactFields(proof, fields, values),
    state: parseState(verification),
    storedState: verification,
  };
}

const parseState = (verification: VerifiableLead['verification']): VerificationState =>
  verification === undefined ? INITIAL_STATE : VerificationState.parse(JSON.parse(verification));

async function publishedVersion(funnels: FunnelRepository, funnel: Funnel): Promise<FunnelVersion> {
  const version = await funnels.findVersion(funnel);
  if (version === undefined) throw new Error(`Funnel ${funnel.id} has no published version.`);
  return version;
}

const leadNotFound = (): HttpError => new HttpError(404, 'There is no lead with this id in the funnel (body.lead_id).');
