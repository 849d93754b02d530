import { UserError } from '../../common/user-error.ts';

/** Monthly volumes. The names of sizes and durations contain the unit. */
export type Volumes = Record<VolumeName, number>;
export type VolumeName = keyof typeof ROOTS | keyof typeof DERIVED;
export type Given = Partial<Volumes>;

type Bounds = { min?: number; max?: number };
type Default = number | { times: number; of: string; whole?: true };

const SESSIONS_A_LEAD = 20;
/** A session of the demo has 4.6 events on average, because most visitors leave after the first step. */
const EVENTS_A_SESSION = 5;

/** The operator gives some of these volumes. The program derives the others from them. */
const ROOTS = {
  events: { about: `analytics events (${EVENTS_A_SESSION} x sessions)` },
  sessions: {
    about: `sessions of visitors (events / ${EVENTS_A_SESSION} or, without --events, ${SESSIONS_A_LEAD} x leads)`,
  },
  leads: { about: `leads (sessions / ${SESSIONS_A_LEAD})` },
} as const;

/**
 * Volumes with defaults, which the operator can replace. The program calculates the defaults in this order. The
 * defaults of `eventsPerRequest` and `eventBytes` come from a measurement: the demo page sends 1.8 events of 700 bytes
 * per request.
 */
const DERIVED = {
  eventsPerRequest: { about: 'events per request', byDefault: 2, min: 1, max: 500 },
  eventBytes: { about: 'bytes per event on the stream', byDefault: 700, min: 100, max: 40_000 },
  submits: { about: 'submits per lead; the page client makes one per step', byDefault: 3, min: 1 },
  leadKb: { about: 'KB per lead', byDefault: 2, min: 1, max: 300 },
  mailCodes: { about: 'verification codes by e-mail', byDefault: { times: 0.3, of: 'leads' } },
  smsCodes: { about: 'verification codes by SMS', byDefault: { times: 0.01, of: 'leads' } },
  webhookEndpoints: {
    about: 'webhook endpoints per organization that get messages about leads',
    byDefault: 1,
    max: 10,
  },
  notificationMails: {
    about: 'mails about leads to notification addresses of all organizations',
    byDefault: 0,
  },
  uploads: { about: 'files uploaded', byDefault: { times: 0.1, of: 'leads' } },
  uploadMb: { about: 'MB per file', byDefault: 2, max: 100 },
  aiReplies: { about: 'AI replies', byDefault: { times: 0.02, of: 'sessions' } },
  aiTokensIn: { about: 'prompt tokens per AI reply, with the system prompt', byDefault: 1_200 },
  aiTokensOut: { about: 'output tokens per AI reply', byDefault: 250 },
  funnels: { about: 'funnels with visitors', byDefault: { times: 1e-5, of: 'events', whole: true }, min: 1 },
  organizations: { about: 'organizations', byDefault: { times: 0.2, of: 'funnels', whole: true }, min: 1 },
  members: { about: 'members who sign in', byDefault: { times: 5, of: 'organizations' } },
  reads: { about: 'analytics reads; opening a dashboard makes three', byDefault: { times: 60, of: 'members' } },
  queries: { about: 'queries in Athena, each over a week of raw events', byDefault: 100 },
  calls: { about: 'training calls', byDefault: { times: 1, of: 'members' } },
  callMinutes: { about: 'minutes per training call', byDefault: 5 },
  transcriptKb: { about: 'KB per transcript', byDefault: { times: 2, of: 'callMinutes' } },
  recordingMb: { about: 'MB per recording', byDefault: { times: 0.5, of: 'callMinutes' } },
  pageCopies: { about: 'landing pages copied', byDefault: { times: 1, of: 'organizations' } },
  domains: { about: 'custom domains', byDefault: { times: 1, of: 'organizations' } },
  months: { about: 'months of stored data', byDefault: 12, min: 1, max: 120 },
} as const satisfies Record<string, Bounds & { about: string; byDefault: Default }>;

export type Input = Bounds & { name: VolumeName; about: string; byDefault?: Default };

/** All volumes. Each volume is an option of the command. */
export const INPUTS: readonly Input[] = Object.entries({ ...ROOTS, ...DERIVED }).map(([name, input]) => {
  return { name: name as VolumeName, ...input };
});

/** Returns all volumes of a month. Volumes that are not given get defaults. @throws UserError for an invalid volume */
export function volumesOf(given: Given): Volumes {
  refuseOutOfBounds(given);
  const known: Record<string, number> = rootsOf(given);
  for (const { name, byDefault, min = 0 } of INPUTS) {
    if (byDefault === undefined) continue;
    known[name] = given[name] ?? Math.max(min, amountBy(byDefault, known));
  }
  return known as Volumes;
}

function amountBy(byDefault: Default, known: Record<string, number>): number {
  if (typeof byDefault === 'number') return byDefault;
  const { times, of, whole } = byDefault;
  const value = times * (known[of] ?? 0);
  // Rounded first, because in floating point 0.00001 * 300,000 is slightly more than 3.
  return whole ? Math.ceil(Number(value.toPrecision(12))) : value;
}

function refuseOutOfBounds(given: Given): void {
  for (const { name, about, min = 0, max = 1e15 } of INPUTS) {
    const value = given[name] ?? min;
    if (!(value >= min && value <= max))
      throw new UserError(`${optionOf(name)} (${about}) must be from ${min} to ${max}.`);
  }
  const { events, sessions } = given;
  if (events !== undefined && sessions !== undefined && sessions > events)
    throw new UserError('--sessions must not be more than --events: every session has at least one event.');
}

function rootsOf({ events, sessions, leads }: Given): Record<keyof typeof ROOTS, number> {
  const ofLeads = leads === undefined ? 0 : SESSIONS_A_LEAD * leads;
  const known = sessions ?? (events === undefined ? ofLeads : events / EVENTS_A_SESSION);
  return { sessions: known, events: events ?? EVENTS_A_SESSION * known, leads: leads ?? known / SESSIONS_A_LEAD };
}

/** Converts a name such as `eventsPerRequest` to `events-per-request`. */
export const wordsOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
export const optionOf = (name: VolumeName): string => `--${wordsOf(name)}`;
