import { Problem } from '../http/problem.ts';
import type { Log } from '../platform/log.ts';
import { membersOf, storableText } from './json-members.ts';
import type { LeadHandle } from './lead-handle.ts';
import {
  ARGS_BYTES_MAX,
  CONSENT_BYTES_MAX,
  DATA_BYTES_MAX,
  DATA_KEY_CHARACTERS_MAX,
  DATA_KEYS_MAX,
  SIDE_MATTERS,
  type SubmitBody,
} from './submit-body.ts';

/** A submit as the page meant it: what it sent, without the side matters that had to be dropped. */
export type Submission = {
  /** The members of `data`, each as the JSON text that was sent. */
  members: ReadonlyMap<string, string>;
  /** Absent: a new lead. */
  handle: LeadHandle | undefined;
  stepId: string | undefined;
  pageUrl: string | undefined;
  webcomponentArgs: string | undefined;
  cookieConsent: string | undefined;
  funnelVersionId: string | undefined;
};

/**
 * Takes the parsed body and its raw text together: the text gives sizes and values as they were sent.
 *
 * @throws Problem 413 for too much data, 400 for its keys or half a handle
 */
export function readSubmission(body: SubmitBody, rawBody: string, log: Log): Submission {
  const sent = membersOf(storableText(rawBody));
  const data = sent.get('data') ?? '{}';
  if (Buffer.byteLength(data) > DATA_BYTES_MAX) {
    throw new Problem(413, `body.data: must be at most ${DATA_BYTES_MAX} bytes.`);
  }
  const members = membersOf(data);
  refuseKeys(members);
  const submission: Submission = {
    members,
    handle: handleOf(body),
    stepId: body.step_id,
    pageUrl: body.page_url,
    webcomponentArgs: asSent(body.webcomponent_args, sent.get('webcomponent_args'), ARGS_BYTES_MAX),
    cookieConsent: asSent(body.cookie_consent, sent.get('cookie_consent'), CONSENT_BYTES_MAX),
    funnelVersionId: body.funnel_version_id,
  };
  countDropped(submission, sent, log);
  return submission;
}

function refuseKeys(members: ReadonlyMap<string, string>): void {
  if (members.size > DATA_KEYS_MAX) throw new Problem(400, `body.data: must have at most ${DATA_KEYS_MAX} keys.`);
  for (const key of members.keys()) {
    if (key === '' || [...key].length > DATA_KEY_CHARACTERS_MAX) {
      throw new Problem(400, `body.data: its keys must have 1 to ${DATA_KEY_CHARACTERS_MAX} characters.`);
    }
  }
}

function handleOf({ lead_id: id, update_token: updateToken }: SubmitBody): LeadHandle | undefined {
  if (!id && !updateToken) return undefined;
  if (!id) throw new Problem(400, 'body.lead_id: is required with body.update_token.');
  if (!updateToken) throw new Problem(400, 'body.update_token: is required with body.lead_id.');
  return { id, updateToken };
}

const asSent = (parsed: unknown, text: string | undefined, bytesMax: number): string | undefined =>
  parsed === undefined || text === undefined || Buffer.byteLength(text) > bytesMax ? undefined : text;

function countDropped(kept: Submission, sent: ReadonlyMap<string, string>, log: Log): void {
  const keptAs: Record<(typeof SIDE_MATTERS)[number], string | undefined> = {
    step_id: kept.stepId,
    page_url: kept.pageUrl,
    webcomponent_args: kept.webcomponentArgs,
    cookie_consent: kept.cookieConsent,
    funnel_version_id: kept.funnelVersionId,
  };
  for (const name of SIDE_MATTERS) {
    const text = sent.get(name) ?? 'null';
    if (keptAs[name] === undefined && text !== 'null' && text !== '""') log.count(DROPPED[name]);
  }
}

const DROPPED: Record<(typeof SIDE_MATTERS)[number], string> = {
  step_id: 'SubmitStepDropped',
  page_url: 'SubmitPageUrlDropped',
  webcomponent_args: 'SubmitArgsDropped',
  cookie_consent: 'SubmitConsentDropped',
  funnel_version_id: 'SubmitVersionUnknown',
};
