import { sendUntilAnswered } from './request.js';

/**
 * The visitor's lead. The first submit has an Idempotency-Key, which is stored with the exact body. The service
 * responds to a retry with the same handle, so that network failures never create a second lead. Later submits contain
 * the handle.
 *
 * @param visit `visit.lead` stores the `handle` {id, update_token} or, before the first response, `first` {key, body}
 * @param base members of every submit, for example `funnel_version_id`
 */
export function createLead({ url, visit, save, base, onWait }) {
  async function post(body, headers = {}) {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body };
    const answer = await sendUntilAnswered(url, init, { onWait });
    // A 422 also contains the handle, because the service has saved the valid fields.
    if (answer.body.data?.id) {
      visit.lead = { handle: answer.body.data };
      save();
    }
    return answer;
  }

  async function create(submit) {
    const now = JSON.stringify({ ...base, ...submit });
    // If the result of the first submit is unknown, repeat that submit unchanged, so that no second lead is created.
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
     * @param stepId undefined for a submit without a step, for which no field is required
     * @param data the step's values
     * @param everything the values of all steps so far, in case a new lead must be created
     * @returns {Promise<{errors?: {field: string, code: string, message: string}[], refused?: string}>} {} if accepted
     * @throws Unreachable
     */
    submit(stepId, data, everything) {
      const submitted = last.then(() => submit(stepId, data, everything));
      last = submitted.catch(() => undefined);
      return submitted;
    },
    /** {id, update_token}, which authorize the page to update the lead; empty before the first response. */
    handle: () => visit.lead.handle ?? {},
  };
}
