import { sendUntilAnswered } from './request.js';

/**
 * The visitor's lead. The first submit carries an Idempotency-Key, kept together with the exact body it was sent with: the service
 * answers a repeat with the same handle, so one visitor is one lead however often the network fails. Later submits carry the handle.
 *
 * @param visit `visit.lead` keeps the `handle` {id, update_token} and, until there is one, `first` {key, body}
 * @param base members of every submit, for example `funnel_version_id`
 */
export function createLead({ url, visit, save, base, onWait }) {
  async function post(body, headers = {}) {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body };
    const answer = await sendUntilAnswered(url, init, { onWait });
    // A refused field comes with the handle too: the valid ones are saved already.
    if (answer.body.data?.id) {
      visit.lead = { handle: answer.body.data };
      save();
    }
    return answer;
  }

  async function create(submit) {
    const now = JSON.stringify({ ...base, ...submit });
    // Where the outcome of an earlier first submit is unknown, exactly that one is repeated: it finds the lead it may have made.
    visit.lead.first ??= { key: crypto.randomUUID(), body: now };
    save();
    const { key, body } = visit.lead.first;
    const answer = await post(body, { 'Idempotency-Key': key });
    if (visit.lead.handle === undefined) visit.lead = {};
    return visit.lead.handle === undefined || body === now ? answer : update(submit);
  }

  function update(submit) {
    const { id, update_token } = visit.lead.handle;
    return post(JSON.stringify({ ...base, ...submit, lead_id: id, update_token }));
  }

  async function submit(stepId, data, everything) {
    const known = visit.lead.handle !== undefined;
    let answer = await (known ? update({ step_id: stepId, data }) : create({ step_id: stepId, data: everything }));
    if (known && (answer.status === 404 || answer.body.error?.code === 'invalid_update_token')) {
      // The handle has expired, or the lead was erased: what the visitor typed is still here, so it becomes a new lead.
      visit.lead = {};
      answer = await create({ step_id: stepId, data: everything });
    }
    if (answer.status < 300) return {};
    const errors = answer.body.error?.validation_errors;
    return errors?.length ? { errors } : { refused: answer.body.error?.message ?? `Status ${answer.status}.` };
  }

  let last = Promise.resolve();
  return {
    /**
     * One after the other, so that there is never a second lead.
     *
     * @param stepId undefined for what belongs to no step's submit: nothing is required of it then
     * @param data the step's values; `everything` those of all steps so far, sent when the lead has to be made anew
     * @returns {Promise<{errors?: {field: string, code: string, message: string}[], refused?: string}>} neither: accepted
     * @throws Unreachable
     */
    submit(stepId, data, everything) {
      const submitted = last.then(() => submit(stepId, data, everything));
      last = submitted.catch(() => undefined);
      return submitted;
    },
    /** {id, update_token}: what proves that this page may speak for the lead. */
    handle: () => visit.lead.handle ?? {},
  };
}
