import { sendUntilAnswered } from './request.js';

/**
 * The visitor's lead. The first submit has an Idempotency-Key, stored with its exact body: the service responds to a retry
 * with the same handle, so that network failures never create a second lead. Later submits contain the handle.
 *
 * @param visit `visit.lead` stores the `handle` {id, update_token} or, before there is one, `first` {key, body}
 * @param base members of every submit, for example `funnel_version_id`
 */
export function createLead({ url, visit, save, base, onWait }) {
  async function post(body, headers = {}) {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body };
    const answer = await sendUntilAnswered(url, init, { onWait });
    // A 422 contains the handle, too: the valid fields are saved.
    if (answer.body.data?.id) {
      visit.lead = { handle: answer.body.data };
      save();
    }
    return answer;
  }

  async function create(submit) {
    const now = JSON.stringify({ ...base, ...submit });
    // If the result of the first submit is unknown, repeat it unchanged: it finds the lead that it may have created.
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
      // The handle has expired, or the lead was erased. Create a new lead from the visitor's input.
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
     * Runs submits one after another, so that there is never a second lead.
     *
     * @param stepId undefined for values outside of a step's submit: no field is required then
     * @param data the step's values; `everything` contains those of all steps so far, for a new lead
     * @returns {Promise<{errors?: {field: string, code: string, message: string}[], refused?: string}>} neither: accepted
     * @throws Unreachable
     */
    submit(stepId, data, everything) {
      const submitted = last.then(() => submit(stepId, data, everything));
      last = submitted.catch(() => undefined);
      return submitted;
    },
    /** {id, update_token}: authorizes this page to update the lead. */
    handle: () => visit.lead.handle ?? {},
  };
}
