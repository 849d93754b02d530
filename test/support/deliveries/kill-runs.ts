import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Webhook } from 'standardwebhooks';
import type { Demo } from '../../../infra/local/seed/demo-json.ts';
import { seededRandom } from '../../../infra/local/seed/random.ts';
import { npmAdmin } from '../cli/npm-admin.ts';
import { startHttpServer } from '../http-server.ts';
import { type LocalRuntime, startLocalRuntime } from '../local/runtime.ts';

// Visitors change leads while `npm start` is killed at random moments, and a receiver fails half of the requests. An
// oracle compares what the receiver got with what the service has stored.

const WORKERS = 8;
/** Number of leads of a group. They have the same address, so that one command erases all of them. */
const GROUP_LEADS = 5;
const TYPES = ['lead.created', 'lead.updated', 'lead.verified', 'lead.erased'];

export type KillOptions = {
  /** Minimum number of changes of leads that visitors and operators make. */
  changes: number;
  kills: number;
  /** A kill comes at most this long after the service is ready. */
  killWithinMs: number;
  /** Maximum number of failed attempts of each message. With 2, messages take longer, because some wait twice. */
  failuresMax: 1 | 2;
  /** How long messages may take after the last change. */
  settleMs: number;
  seed: number;
  print(line: string): void;
};

export type KillResult = {
  changes: number;
  kills: number;
  requests: number;
  failedRequests: number;
  messages: number;
  /**
   * What must not happen: changed bytes, a decreasing `seq`, an invalid signature, another message after `lead.erased`,
   * or a state that was not stored.
   */
  violations: string[];
  /** Messages that were not delivered, leads that were not stored, and leads whose stored state was not delivered. */
  missing: string[];
};

/** Makes all changes while the service is killed repeatedly. Then waits up to `settleMs` for all deliveries. */
export async function runKills(options: KillOptions): Promise<KillResult> {
  const random = seededRandom(options.seed);
  const state = await mkdtemp(join(tmpdir(), 'tributary-kills-'));
  const receiver = await startReceiver(options);
  let runtime: LocalRuntime | undefined;
  const start = async () => {
    const args = ['--empty', '--webhook-origin', receiver.origin];
    runtime = await startLocalRuntime({ state, args, env: { LOCAL_RATE_LIMITS: 'off' } });
    return runtime;
  };
  try {
    const first = await start();
    receiver.setSecret(await createEndpoint(first.demo, receiver.origin));
    const work = planWork(options.changes, random);
    let current = first;
    for (let kill = 1; kill <= options.kills; kill++) {
      // Spreads the changes over the periods between kills, so that messages are sent before and after each kill.
      const visits = work.perform(current, (options.changes * kill) / (options.kills + 1));
      await delay(random() * options.killWithinMs);
      await current.kill();
      await visits;
      options.print(`kill ${kill}: ${work.changes()} changes made, ${receiver.counts().requests} requests received`);
      current = await start();
    }
    // Repeats, because requests can time out on a busy machine.
    while (work.isLeft()) await work.perform(current, Number.POSITIVE_INFINITY);
    const stored = await storedLeads(current);
    options.print(`${work.changes()} changes made, ${stored.size} leads stored`);
    const lost = () => findMissing(receiver.arrivals, stored, work.leads());
    const deadline = Date.now() + options.settleMs;
    while (lost().length > 0 && Date.now() < deadline) await delay(500);
    return {
      ...receiver.counts(),
      changes: work.changes(),
      kills: options.kills,
      violations: [...receiver.violations, ...findInventions(receiver.arrivals, stored, work.leads())],
      missing: lost(),
    };
  } finally {
    await runtime?.kill();
    receiver.close();
    await rm(state, { recursive: true, force: true });
  }
}

type Visited = {
  name: string;
  email: string;
  idempotencyKey: string;
  acts: Act[];
  /** Known after a submit of the lead got a successful response. */
  handle?: { lead_id: string; update_token: string };
  /** Number of submits that got a successful response. */
  sent: number;
  isErased: boolean;
};
type Act = 'submit' | 'verify';
type Group = { email: string; leads: Visited[] };

/** Plans the acts of visitors, and performs each until it succeeds. */
function planWork(changes: number, random: () => number) {
  const leads: Visited[] = [];
  const groups: Group[] = [];
  for (let planned = 0; planned < changes; ) {
    const number = leads.length;
    const updates: Act[] = Array.from({ length: Math.floor(random() * 4) }, () => 'submit');
    const isInGroup = number % 4 === 0;
    const name = `visitor ${number}`;
    if (isInGroup && (groups.at(-1)?.leads.length ?? GROUP_LEADS) === GROUP_LEADS)
      groups.push({ email: `group${groups.length}@shop.example`, leads: [] });
    const group = isInGroup ? groups.at(-1) : undefined;
    if (group === undefined && random() < 0.5) updates.splice(Math.floor(random() * (updates.length + 1)), 0, 'verify');
    const email = group?.email ?? `visitor${number}@shop.example`;
    const lead: Visited = {
      name,
      email,
      idempotencyKey: randomUUID(),
      acts: ['submit', ...updates],
      sent: 0,
      isErased: false,
    };
    leads.push(lead);
    group?.leads.push(lead);
    planned += lead.acts.length + (isInGroup ? 1 : 0);
  }
  const waiting = [...leads];
  let made = 0;
  const eraseNext = async (runtime: LocalRuntime): Promise<boolean> => {
    const at = groups.findIndex((group) => group.leads.every(({ acts }) => acts.length === 0));
    const [group] = at < 0 ? [] : groups.splice(at, 1);
    if (group === undefined) return false;
    const { id } = runtime.demo.organizations.a;
    const { code, err } = await npmAdmin(runtime, 'privacy', 'erase', id, '--email', group.email, '--yes');
    if (code === 2) throw new RefusedError(err);
    if (code !== 0) {
      // The command may have erased a part of the group, so a later command erases the group again.
      groups.push(group);
      return false;
    }
    for (const lead of group.leads) lead.isErased = true;
    made += group.leads.length;
    return true;
  };
  /** Returns false if a request or a command failed, for example by a kill, or if nothing is left to do. */
  const performNext = async (runtime: LocalRuntime): Promise<boolean> => {
    const lead = waiting.shift();
    const act = lead?.acts[0];
    if (lead === undefined || act === undefined) return eraseNext(runtime);
    const isDone = await ACTS[act](runtime.demo, lead).catch(falseIfKilled);
    if (isDone) {
      lead.acts.shift();
      made++;
    }
    // The lead moves to the end of the list, so that other leads are changed first.
    if (lead.acts.length > 0) waiting.push(lead);
    return isDone;
  };
  const visit = async (runtime: LocalRuntime, changesMax: number): Promise<void> => {
    while (made < changesMax && (await performNext(runtime)));
  };
  return {
    leads: () => leads,
    changes: () => made,
    isLeft: () => waiting.length + groups.length > 0,
    /**
     * Makes changes until all calls together have made `changesMax` changes. A worker stops earlier if nothing is left,
     * or if its request or command fails, for example because the service is killed.
     */
    perform: async (runtime: LocalRuntime, changesMax: number) => {
      await Promise.all(Array.from({ length: WORKERS }, () => visit(runtime, changesMax)));
    },
  };
}

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** Treats a request as failed if it got no response, because the service may have been killed. */
function falseIfKilled(error: unknown): false {
  if (error instanceof RefusedError) throw error;
  return false;
}

/**
 * Each act resolves to true if it got a successful response. If an act resolves to false, its change may have been
 * stored nevertheless.
 */
const ACTS: Record<Act, (demo: Demo, lead: Visited) => Promise<boolean>> = {
  submit: async ({ baseUrl, funnel }, lead) => {
    const data = { name: `${lead.name}, submit ${lead.sent}`, email: lead.email };
    const url = `${baseUrl}/api/v2/public/funnel/${funnel.id}/submit`;
    // A first submit without a response may have created the lead. With the same key, the next try finds this lead.
    const headers = lead.handle === undefined ? { 'idempotency-key': lead.idempotencyKey } : undefined;
    const response = await post(url, { ...lead.handle, data }, headers);
    if (!isSuccess(response)) return false;
    const { id, update_token } = ((await response.json()) as { data: { id: string; update_token: string } }).data;
    lead.handle = { lead_id: id, update_token };
    lead.sent++;
    return true;
  },
  verify: async ({ baseUrl, funnel, mailbox }, { handle, email }) => {
    const mfa = `${baseUrl}/api/v2/public/funnel/${funnel.id}/mfa`;
    const sinceSeconds = Math.floor(Date.now() / 1_000) - 1;
    if (!isSuccess(await post(`${mfa}/send`, { ...handle, channel: 'email' }))) return false;
    const response = await fetch(`${mailbox}?since=${sinceSeconds}`);
    const { messages } = (await response.json()) as { messages: { to: string[]; text: string }[] };
    const code = /\b\d{6}\b/.exec(messages.findLast(({ to }) => to.includes(email))?.text ?? '')?.[0];
    // 400 is a success: an earlier check, whose response was lost, has already verified the address.
    return (await post(`${mfa}/check`, { ...handle, code })).status < 500;
  },
};

/** @throws RefusedError for a 4xx status, because a repetition would fail again */
function isSuccess({ ok, status, url }: Response): boolean {
  if (status >= 400 && status < 500) throw new RefusedError(`${url} responded with status ${status}.`);
  return ok;
}

class RefusedError extends Error {}

async function createEndpoint({ baseUrl, organizations, tokens }: Demo, origin: string): Promise<string> {
  const endpoint = { url: `${origin}/hook`, eventTypes: TYPES, description: 'fails half of the time' };
  const headers = { authorization: `Bearer ${tokens.adminA}` };
  const url = `${baseUrl}/api/v2/organizations/${organizations.a.id}/webhook-endpoints`;
  const response = await post(url, endpoint, headers);
  if (response.status !== 201) throw new Error(`No endpoint was created: ${await response.text()}`);
  return ((await response.json()) as { secret: string }).secret;
}

type Stored = { lead_id: string; submits: number; verified: unknown[]; data: { name: string } };
type Message = { type: string; data: { leadId: string; seq: number; lead?: Stored } };

type Arrival = { id: string; body: string; message: Message; isAccepted: boolean };

/** How the receiver treats a request. `lost`: it processes the message, but its response does not arrive. */
type Reaction = 'accept' | 'error' | 'reset' | 'lost' | 'hang';

/** The receiver, which runs outside of the service and verifies each message with the library of Standard Webhooks. */
async function startReceiver({ failuresMax, seed }: Pick<KillOptions, 'failuresMax' | 'seed'>) {
  const arrivals: Arrival[] = [];
  const violations: string[] = [];
  const attempts = new Map<string, number>();
  const bodies = new Map<string, string>();
  const lastSeq = new Map<string, number>();
  const erased = new Set<string>();
  const counts = { requests: 0, failedRequests: 0 };
  let webhook: Webhook | undefined;
  /** A number from 0 to 1 that is the same in each run with this seed. */
  const shareOf = (...parts: (string | number)[]) =>
    createHash('sha256')
      .update([seed, ...parts].join())
      .digest()
      .readUInt32BE() /
    2 ** 32;
  const reactionTo = (id: string, attempt: number): Reaction => {
    // On average, each message fails once before it is accepted, so half of the requests fail.
    const failures = failuresMax === 1 ? 1 : Math.floor(3 * shareOf(id));
    if (attempt > failures) return 'accept';
    const share = shareOf(id, attempt);
    return share < 0.02 ? 'hang' : share < 0.1 ? 'reset' : share < 0.2 ? 'lost' : 'error';
  };
  const check = (headers: Record<string, string>, id: string, body: string): Message => {
    const message = webhook?.verify(body, headers) as Message;
    const { leadId, seq } = message.data;
    const note = (what: string) => violations.push(`${what}: ${message.type} ${seq} of ${leadId}`);
    if ((bodies.get(id) ?? body) !== body) note('an id has two bodies');
    if (seq < (lastSeq.get(leadId) ?? 0)) note(`seq decreased from ${lastSeq.get(leadId)}`);
    if (erased.has(leadId) && message.type !== 'lead.erased') note('sent after lead.erased');
    if (message.type === 'lead.erased') erased.add(leadId);
    bodies.set(id, body);
    lastSeq.set(leadId, seq);
    return message;
  };
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const headers = request.headers as Record<string, string>;
    const id = headers['webhook-id'] ?? '';
    const attempt = (attempts.get(id) ?? 0) + 1;
    attempts.set(id, attempt);
    counts.requests++;
    const reaction = reactionTo(id, attempt);
    if (reaction !== 'accept') counts.failedRequests++;
    if (reaction === 'reset') return request.socket.destroy();
    const body = await text(request);
    try {
      const isAccepted = reaction === 'accept' || reaction === 'lost';
      arrivals.push({ id, body, message: check(headers, id, body), isAccepted });
    } catch (error) {
      violations.push(`the library rejects message ${id}: ${error}`);
    }
    if (reaction === 'lost') request.socket.destroy();
    else if (reaction !== 'hang') response.writeHead(reaction === 'accept' ? 204 : 500).end();
  };
  const server = await startHttpServer((request, response) => {
    // Ignores errors, because a kill of the service closes the connection.
    receive(request, response).catch(() => undefined);
  });
  return {
    origin: server.url,
    arrivals,
    violations,
    counts: () => ({ ...counts, messages: attempts.size }),
    setSecret: (secret: string) => {
      webhook = new Webhook(secret);
    },
    close: server.close,
  };
}

/** Returns the stored leads of the visitors by id, as the operator's export shows them. */
async function storedLeads(runtime: LocalRuntime): Promise<Map<string, Stored>> {
  const { code, out, err } = await npmAdmin(runtime, 'leads', 'export', runtime.demo.funnel.id, '--format', 'jsonl');
  if (code !== 0) throw new Error(`The leads could not be exported: ${err}`);
  const leads = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Stored => JSON.parse(line));
  return new Map(leads.filter(({ data }) => data.name?.startsWith('visitor ')).map((lead) => [lead.lead_id, lead]));
}

/** Finds messages with data that was never stored. `stored` contains the leads after the last change. */
function findInventions(
  arrivals: readonly Arrival[],
  stored: ReadonlyMap<string, Stored>,
  leads: readonly Visited[],
): string[] {
  const erased = new Set(leads.flatMap(({ isErased, handle }) => (isErased ? (handle?.lead_id ?? []) : [])));
  return arrivals.flatMap(({ message: { type, data } }) => {
    const lead = stored.get(data.leadId);
    const note = (what: string) => [`${what}: ${type} ${data.seq} of ${data.leadId}`];
    if (lead === undefined) return erased.has(data.leadId) ? [] : note('a lead that is not stored');
    if (data.lead === undefined) return note('a lead that was not erased');
    if (data.lead.submits > lead.submits) return note('a submit that was not stored');
    return type === 'lead.verified' && lead.verified.length === 0 ? note('a verification that was not stored') : [];
  });
}

/** Returns what was not delivered yet. A message is delivered only if the receiver accepted it. */
function findMissing(
  arrivals: readonly Arrival[],
  stored: ReadonlyMap<string, Stored>,
  leads: readonly Visited[],
): string[] {
  const byLead = new Map<string, Message[]>();
  for (const { message, isAccepted } of arrivals)
    if (isAccepted) byLead.set(message.data.leadId, [...(byLead.get(message.data.leadId) ?? []), message]);
  const missing = (leadId: string, type: string) =>
    byLead.get(leadId)?.some((message) => message.type === type) ? [] : [`${type} of ${leadId}`];
  const fromStored = [...stored].flatMap(([leadId, lead]) => {
    const isCurrent = isDeepStrictEqual(byLead.get(leadId)?.at(-1)?.data.lead, lead);
    return [
      ...missing(leadId, 'lead.created'),
      ...(lead.verified.length > 0 ? missing(leadId, 'lead.verified') : []),
      ...(isCurrent ? [] : [`the current state of ${leadId}`]),
    ];
  });
  const fromVisitors = leads.flatMap(({ name, handle, isErased }) => {
    if (handle === undefined) return [`${name} has no lead`];
    if (isErased) return missing(handle.lead_id, 'lead.erased');
    return stored.has(handle.lead_id) ? [] : [`the lead of ${name}`];
  });
  return [...fromStored, ...fromVisitors];
}
