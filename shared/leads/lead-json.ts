import type { Lead } from './lead.ts';
import { stringifyRawProperties } from './raw-json.ts';

/**
 * Formats a lead as JSON, with property names like those of the API. The values of `data` are copied as they are
 * stored, so that no number loses a digit.
 *
 * @param fields the keys of `data` to keep. Default: all keys.
 */
export function leadJson(lead: Lead, fields?: ReadonlySet<string>): string {
  const data = fields === undefined ? lead.data : [...lead.data].filter(([key]) => fields.has(key));
  return stringifyRawProperties([
    ['lead_id', JSON.stringify(lead.leadId)],
    ['funnel_id', JSON.stringify(lead.funnelId)],
    ['first_submitted_at', JSON.stringify(lead.firstSubmittedAt)],
    ['last_submitted_at', JSON.stringify(lead.submittedAt)],
    ['completed_at', JSON.stringify(lead.completedAt ?? null)],
    ['submits', String(lead.submits)],
    ['expires_at', JSON.stringify(lead.retainedUntil ?? null)],
    ['data', stringifyRawProperties(data)],
    ['verified', JSON.stringify(lead.verified)],
    ['consents', JSON.stringify(lead.consents.map(consentOf))],
    ['steps', JSON.stringify(lead.steps.map(stepOf))],
    ['page_url', JSON.stringify(lead.pageUrl ?? null)],
    ['device_class', JSON.stringify(lead.deviceClass ?? null)],
    ['webcomponent_args', lead.webcomponentArgs ?? 'null'],
    ['cookie_consent', lead.cookieConsent ?? 'null'],
  ]);
}

const stepOf = ({ id, firstAt, lastAt, count }: Lead['steps'][number]) => ({
  id,
  first_at: firstAt,
  last_at: lastAt,
  count,
});

const consentOf = ({ field, given, withdrawn }: Consent) => ({
  field,
  given: proofOf(given),
  withdrawn: proofOf(withdrawn),
});

const proofOf = (proof: Consent['given']) => proof && { at: proof.at, text: proof.text, version_id: proof.versionId };

type Consent = Lead['consents'][number];
