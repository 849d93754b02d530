import { askNow, Unreachable } from './request.js';
import { countDown, inWords } from './words.js';

const DIGITS = 6;
/** Minimum time between two codes to the same destination, as in the service. */
const PAUSE_MS = 30_000;

const SAFE = 'Your request has arrived in any case.';
const OFFLINE = `We can’t reach our server at the moment. Please try again, or confirm later. ${SAFE}`;
const NOT_SENT = `We could not send the code. Please try again, or confirm later. ${SAFE}`;
const NOT_CHECKED = `We could not check the code. Please try again, or confirm later. ${SAFE}`;
const INCOMPLETE = 'Please enter all six digits of the code.';
const REFUSED = {
  code_invalid: 'This is not the code that we sent. Please look at the newest message.',
  code_expired: 'This code is too old. Please have a new one sent.',
};
const WAYS = { email: 'by e-mail', sms: 'by text message' };

/**
 * The step in which a visitor verifies an e-mail address or phone number with a code. The lead is stored before this
 * step, so that a failed or skipped verification loses nothing.
 */
export class Verification {
  #url;
  #handle;
  #visit;
  #save;
  #root;
  #onDone;
  #sending = false;
  #checkFromMs = 0;
  #stopCounting = () => undefined;

  /**
   * @param url URL of the funnel's mfa operations
   * @param handle returns the lead's {id, update_token}
   * @param visit `visit.verification` stores the last sent code:
   *   {contact, channel, masked, channels, resendAtMs, confirmed, impossible}
   * @param root the element of the step in funnel.html
   * @param onDone called when the contact field is verified, or cannot be verified
   */
  constructor({ url, handle, visit, save, root, onDone }) {
    this.#url = url;
    this.#handle = handle;
    this.#visit = visit;
    this.#save = save;
    this.#root = root;
    this.#onDone = onDone;
    this.#part('input').addEventListener('input', () => this.#typed());
    this.#part('resend').addEventListener('click', () => this.#send(this.#sent?.channel));
    this.#part('other').addEventListener('click', () => this.#send(this.#otherChannel));
  }

  /** Sends a code, unless one was sent to this contact before. @param contact the visitor's input as one string */
  async arrive(contact) {
    const known = this.#sent?.contact === contact;
    if (known && this.#sent.confirmed) return this.#onDone();
    if (!known) {
      this.#visit.verification = { contact, resendAtMs: 0 };
      this.#checkFromMs = 0;
      this.#clear();
    }
    if (this.#sent.masked) this.#show();
    else await this.#send();
  }

  /** Checks the code. Sends no request if the code is incomplete, or before the wait after a 429 has ended. */
  async check() {
    const code = this.#part('input').value;
    if (code.length < DIGITS) return this.#refuse(INCOMPLETE);
    if (this.#checkFromMs > Date.now()) return this.#refuse(this.#tooMany());
    const mine = this.#sent;
    this.#complain();
    const answer = await this.#ask('check', { code });
    if (mine !== this.#sent) return;
    if (answer?.status === 200) {
      this.#sent.confirmed = true;
      this.#save();
      return this.#onDone();
    }
    const refused = answer && REFUSED[answer.body.error?.code];
    if (answer?.status === 429) this.#checkFromMs = Date.now() + answer.retryAfterMs;
    if (answer) this.#refuse(answer.status === 429 ? this.#tooMany() : (refused ?? NOT_CHECKED));
  }

  get #sent() {
    return this.#visit.verification;
  }

  get #otherChannel() {
    return this.#sent?.channels?.find((channel) => channel !== this.#sent.channel && channel in WAYS);
  }

  #part(name) {
    return this.#root.querySelector(`[data-code="${name}"]`);
  }

  async #send(channel) {
    if (this.#sending) return;
    const mine = this.#sent;
    this.#sending = true;
    this.#complain();
    this.#show();
    const answer = await this.#ask('send', channel && { channel });
    this.#sending = false;
    // In the meantime, the visitor may have gone back and changed the address.
    if (mine !== this.#sent) return this.#root.hidden ? undefined : this.arrive(this.#sent.contact);
    if (answer) this.#take(answer, channel);
    this.#save();
    this.#show();
    this.#focusInput();
  }

  #take({ status, body, retryAfterMs }, asked) {
    if (status === 200) {
      const { channel, masked_destination: masked, available_channels: channels } = body.data;
      Object.assign(this.#sent, { channel, masked, channels, resendAtMs: Date.now() + PAUSE_MS });
      return this.#clear();
    }
    // This funnel or lead has nothing to verify.
    if (status === 400) this.#sent.impossible = true;
    if (status === 400 && !this.#root.hidden) return this.#onDone();
    if (status !== 429) return this.#complain(NOT_SENT);
    // The wait applies to this destination only.
    if (asked === this.#sent.channel) this.#sent.resendAtMs = Date.now() + retryAfterMs;
    this.#complain(`We can send the next code ${inWords(retryAfterMs)}. One may be on its way already.`);
  }

  /** @returns the response; undefined, after showing a message, if there is none */
  async #ask(what, members) {
    const { id, update_token } = this.#handle();
    try {
      return await askNow(`${this.#url}/${what}`, { lead_id: id, update_token, ...members });
    } catch (error) {
      if (!(error instanceof Unreachable)) reportError(error);
      this.#complain(OFFLINE);
      return undefined;
    }
  }

  #tooMany() {
    return `There were too many attempts. Please try again ${inWords(this.#checkFromMs - Date.now())}. ${SAFE}`;
  }

  #typed() {
    const input = this.#part('input');
    const digits = input.value.replace(/\D/g, '').slice(0, DIGITS);
    // Remove spaces and words around a pasted code. Setting an unchanged value would move the cursor.
    if (digits !== input.value) input.value = digits;
    this.#complain();
    if (digits.length === DIGITS) input.form.requestSubmit();
  }

  #clear() {
    this.#part('input').value = '';
    this.#complain();
  }

  #complain(words = '') {
    this.#part('problem').textContent = words;
    this.#part('problem').hidden = words === '';
    this.#part('input').removeAttribute('aria-invalid');
  }

  #refuse(words) {
    this.#complain(words);
    const input = this.#part('input');
    input.setAttribute('aria-invalid', 'true');
    input.focus();
    input.select();
  }

  #focusInput() {
    const input = this.#part('input');
    // Do nothing if the visitor has already continued.
    const idle = document.activeElement === document.body || document.activeElement.matches('h2, [data-code="ways"] *');
    if (idle && input.checkVisibility()) input.focus();
  }

  #show() {
    const { masked, channel, resendAtMs } = this.#sent;
    this.#part('sending').hidden = Boolean(masked) || !this.#sending;
    this.#part('unsent').hidden = Boolean(masked) || this.#sending;
    this.#part('sent').hidden = !masked;
    this.#part('way').textContent = WAYS[channel] ?? '';
    this.#part('masked').textContent = masked ?? '';
    const other = this.#otherChannel;
    this.#part('other').hidden = other === undefined;
    this.#part('other').textContent = `Send it ${WAYS[other]} instead`;
    this.#part('other').disabled = this.#sending;
    this.#stopCounting();
    this.#stopCounting = countDown(resendAtMs, (seconds) => {
      this.#part('resend').disabled = this.#sending || seconds > 0;
      const words = masked ? 'Send a new code' : 'Send the code';
      this.#part('resend').textContent = seconds > 0 ? `${words} (in ${seconds} s)` : words;
    });
  }
}
