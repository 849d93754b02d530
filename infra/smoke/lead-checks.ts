import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { eraseLead } from '../../shared/privacy/erase-lead.ts';
import { createEraseLeadPorts } from '../cli/privacy/dependencies.ts';
import type { OnInterrupt } from '../cli/terminal/interrupts.ts';
import { NO_FUNNEL } from './api-checks.ts';
import { type Check, Skipped } from './check.ts';
import { bodyOf, expectError, send } from './requests.ts';
import type { Target } from './target.ts';

/** SES's mailbox simulator accepts every message without an effect on the sender's reputation. */
const ADDRESS = 'success@simulator.amazonses.com';

const SEE_LOG = 'Search the log of the function funnel/submit for the request id.';
const MAIL_ADVICE =
  'Check that the domain of mailFrom is verified in SES, and that the sandbox or the quota of SES does not prevent ' +
  'the sending. The log of the function funnel/mfa-send has the error of SES.';
const ERASE_ADVICE =
  'Erase the lead that is listed as created: npm run admin -- privacy erase ORGANIZATION --lead FUNNEL/LEAD --yes';

/** If the deployment sends no e-mail, the error message of mfa/send contains this text. */
const NO_CHANNEL = 'no field to send a code to';

const Handle = z.object({ data: z.object({ id: z.string(), update_token: z.string() }) });
const Sent = z.object({ data: z.object({ channel: z.literal('email') }) });

type Lead = { funnelId: string; orgId: string; leadId: string; updateToken: string };

/**
 * Returns the checks of one lead, from its first submit to its erasure.
 *
 * @param created receives the entry `NOT ERASED` when the lead is submitted. The entry becomes `erased` after the
 *   erasure.
 */
export function leadChecks({ api, funnel }: Target, created: Map<string, string>, onInterrupt?: OnInterrupt): Check[] {
  const emailField = funnel?.version.fields.find(({ type, verifiable }) => type === 'email' && verifiable)?.id;
  const path = (operation: string) => `/api/v2/public/funnel/${funnel?.id}/${operation}`;
  let lead: Lead | undefined;
  let keepOnInterrupt: (() => void) | undefined;
  const submitted = () => {
    if (funnel === undefined) throw new Skipped(NO_FUNNEL);
    if (lead === undefined) throw new Skipped('No lead was submitted. See the check "a lead is submitted".');
    return lead;
  };
  const submit = async () => {
    if (funnel === undefined) throw new Skipped(NO_FUNNEL);
    const body = { data: { [emailField ?? 'email']: ADDRESS } };
    const { data } = await bodyOf(await send(api, path('submit'), { body }), 200, Handle);
    lead = { funnelId: funnel.id, orgId: funnel.orgId, leadId: data.id, updateToken: data.update_token };
    created.set(`lead ${funnel.id}/${data.id}`, 'NOT ERASED');
    keepOnInterrupt = onInterrupt?.(erase);
  };
  const foreignHandle = async () => {
    const body = { lead_id: submitted().leadId, update_token: randomBytes(32).toString('base64url'), data: {} };
    await expectError(await send(api, path('submit'), { body }), 403, 'invalid_update_token');
  };
  const code = async () => {
    const { leadId, updateToken } = submitted();
    if (emailField === undefined) throw new Skipped('The funnel has no verifiable e-mail field.');
    const sent = await send(api, path('mfa/send'), { body: { lead_id: leadId, update_token: updateToken } });
    if (sent.status === 400 && (await sent.clone().text()).includes(NO_CHANNEL))
      throw new Skipped('The deployment sends no e-mail. Deploy it with -c mailFrom=ADDRESS.');
    if (sent.status === 429)
      throw new Skipped(`A rate limit was exceeded. Try again in ${sent.headers.get('retry-after')} s.`);
    await bodyOf(sent, 200, Sent);
  };
  const erase = async () => {
    const { outcome } = await eraseLead(createEraseLeadPorts(), submitted());
    if (outcome !== 'erased') throw new Error('The lead was not erased, because it was not found.');
    created.set(`lead ${submitted().funnelId}/${submitted().leadId}`, 'erased');
    keepOnInterrupt?.();
  };
  return [
    { name: 'a lead is submitted', advice: SEE_LOG, run: submit },
    { name: 'a lead handle with a wrong update token returns 403', advice: SEE_LOG, run: foreignHandle },
    { name: `a code is sent to ${ADDRESS}`, advice: MAIL_ADVICE, run: code },
    { name: 'the lead is erased', advice: ERASE_ADVICE, run: erase, isCleanUp: true },
  ];
}
