import type { Funnel, Funnels, FunnelVersion } from '../directory/funnel.ts';
import { openFunnel } from '../directory/open-funnel.ts';
import { Problem } from '../http/problem.ts';
import { uuid } from '../http/schemas.ts';
import { hashToken } from '../leads/lead-handle.ts';
import type { LeadProof, LeadVerifications, VerifiableLead } from '../leads/lead-verifications.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import { type ContactField, contactFieldsOf, verifiableFields } from './contacts.ts';
import { NOTHING_YET, VerificationState } from './verification-state.ts';

export type LeadPorts = { funnels: Funnels; leads: LeadVerifications; clock: Clock; ids: Ids };

/** Who asks, and for which lead. */
export type LeadCall = {
  funnelId: string;
  leadId: string;
  updateToken: string;
  /** By lower-cased name. */
  headers: Record<string, string | undefined>;
  sourceIp: string;
  log: Log;
};

/** A lead whose caller has proved that it is theirs. */
export type OpenLead = {
  proof: LeadProof;
  funnel: Funnel;
  version: FunnelVersion;
  contacts: readonly ContactField[];
  state: VerificationState;
  /** The state as it is stored. */
  stored: string | undefined;
};

/**
 * The lead as the funnel's published version sees it, read consistently.
 *
 * @throws Problem 404 and 403 for the funnel (see `openFunnel`), then 404 and 403 for the lead
 */
export async function openLead({ funnels, leads, clock }: LeadPorts, call: LeadCall): Promise<OpenLead> {
  const funnel = await openFunnel(funnels, clock, call.funnelId, call.headers.origin);
  const version = await publishedVersion(funnels, funnel);
  if (!uuid.safeParse(call.leadId).success) throw noSuchLead();
  const { funnelId, leadId } = call;
  const proof = { funnelId, leadId, tokenHash: hashToken(call.updateToken), atMs: clock.now() };
  return reopened(leads, { proof, funnel, version });
}

type Known = Pick<OpenLead, 'proof' | 'funnel' | 'version'>;

/** The lead as it is by now. @throws Problem 404 and 403 for the lead */
export async function reopened(leads: LeadVerifications, { proof, funnel, version }: Known): Promise<OpenLead> {
  const fields = verifiableFields(version.fields);
  const ids = fields.map(({ id }) => id);
  const answer = await leads.find(proof, ids);
  if (answer.outcome === 'unknown_lead') throw noSuchLead();
  if (answer.outcome === 'invalid_token') {
    throw new Problem(403, 'body.update_token is wrong or has expired.', { code: 'invalid_update_token' });
  }
  const { values, verification } = answer.lead;
  return {
    proof,
    funnel,
    version,
    contacts: contactFieldsOf(proof, fields, values),
    state: stateIn(verification),
    stored: verification,
  };
}

const stateIn = (verification: VerifiableLead['verification']): VerificationState =>
  verification === undefined ? NOTHING_YET : VerificationState.parse(JSON.parse(verification));

async function publishedVersion(funnels: Funnels, funnel: Funnel): Promise<FunnelVersion> {
  const version = await funnels.version(funnel);
  if (version === undefined) throw new Error(`Funnel ${funnel.id} has no published version.`);
  return version;
}

const noSuchLead = (): Problem => new Problem(404, 'There is no lead with this id in the funnel (body.lead_id).');
