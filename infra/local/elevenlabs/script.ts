import { GERMAN } from './phrases-de.ts';
import { ENGLISH } from './phrases-en.ts';
import type { Phrases, Rehearsal, ScriptedConversation, ScriptLine } from './rehearsal.ts';

const PHRASES: Record<Rehearsal['language'], Phrases> = { de: GERMAN, en: ENGLISH };

const user = (text: string): ScriptLine => ({ role: 'user', text });
const agent = (text: string): ScriptLine => ({ role: 'agent', text });

/**
 * A conversation between a trainee and a customer about a case. A good trainee greets, asks and listens, does what the
 * case asks for, meets objections and names the next step; a poor one talks about prices and lets nobody finish.
 */
export function generateConversation(rehearsal: Rehearsal): ScriptedConversation {
  const phrases = PHRASES[rehearsal.language];
  const first = agent(rehearsal.first_message?.trim() || phrases.opening(rehearsal.persona.name));
  const good = rehearsal.script === 'good';
  const lines = [first, ...(good ? goodTalk(rehearsal, phrases) : poorTalk(rehearsal, phrases))];
  return timed(merged(lines), good ? phrases.pace.calm : phrases.pace.hurried, phrases.pace.customer);
}

function goodTalk({ case: { objective, dos }, persona }: Rehearsal, phrases: Phrases): ScriptLine[] {
  const labels = dos.map(({ label }) => label);
  const isClosing = (label: string) => phrases.isClosing.test(label);
  const answer = inTurn(phrases.answers);
  const question = inTurn(phrases.questions);
  const reply = inTurn(phrases.understanding);
  const object = inTurn(phrases.objecting);
  const exchanges = [
    [phrases.greeting, answer()],
    [phrases.agenda(objective), phrases.consent],
    ...labels.filter((label) => !isClosing(label)).map((label) => [`${phrases.doing(label)} ${question()}`, answer()]),
  ];
  const objections = persona.objections
    .slice(0, 2)
    .flatMap((objection) => [agent(object()(objection)), user(reply()), agent(answer())]);
  const closing = labels.filter(isClosing).map(phrases.doing);
  return [
    ...exchanges.flatMap(([said = '', answered = '']) => [user(said), agent(answered)]),
    ...objections,
    user([...closing, phrases.nextStep].join(' ')),
    agent(phrases.accepting),
    user(phrases.goodbye),
  ];
}

/** Whoever goes on speaking does so in the same turn. */
function merged(lines: readonly ScriptLine[]): ScriptLine[] {
  const turns: ScriptLine[] = [];
  for (const line of lines) {
    const last = turns.at(-1);
    if (last?.role === line.role) turns.splice(-1, 1, { ...last, ...line, text: `${last.text} ${line.text}` });
    else turns.push(line);
  }
  return turns;
}

/** How many sentences a poor trainee says before the customer gets a word in, each time. */
const MONOLOGUES = [8, 1, 1];

function poorTalk({ case: { dos } }: Rehearsal, phrases: Phrases): ScriptLine[] {
  const pitch = leastRelated(
    phrases.pitch,
    dos.map(({ label }) => label),
  );
  const turns = MONOLOGUES.map((sentences) => user(pitch.splice(0, sentences).join(' ')));
  const protest = inTurn(phrases.protests);
  return turns.flatMap((turn, at) => {
    const last = at === turns.length - 1;
    return [turn, last ? agent(phrases.leaving) : { ...agent(`${protest()} …`), cutOff: true as const }];
  });
}

/** Those that say least of what the case asks for come first. */
function leastRelated(sentences: readonly string[], labels: readonly string[]): string[] {
  const asked = new Set(labels.flatMap(stems));
  const related = (sentence: string) => stems(sentence).filter((stem) => asked.has(stem)).length;
  return sentences
    .map((sentence) => ({ sentence, related: related(sentence) }))
    .sort((one, other) => one.related - other.related)
    .map(({ sentence }) => sentence);
}

const stems = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}]{4,}/gu) ?? []).map((word) => word.slice(0, 5));

/** Gives one after the other, and begins again after the last. */
function inTurn<T>(things: readonly [T, ...T[]]): () => T {
  let next = 0;
  return () => things[next++ % things.length] ?? things[0];
}

const PAUSE_SECONDS = 0.8;

/** When each line begins: as many words a minute as its speaker says, and a breath before the next one. */
function timed(lines: readonly ScriptLine[], traineePace: number, customerPace: number): ScriptedConversation {
  let at = 0;
  const timedLines = lines.map((line) => {
    const spokenLine = { ...line, atSeconds: Math.round(at) };
    const words = line.text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
    const pace = line.role === 'user' ? traineePace : customerPace;
    at += (words * 60) / pace + (line.cutOff ? 0 : PAUSE_SECONDS);
    return spokenLine;
  });
  return { lines: timedLines, seconds: Math.max(1, Math.round(at)) };
}
