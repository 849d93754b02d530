import { GERMAN } from './phrases-de.ts';
import { ENGLISH } from './phrases-en.ts';
import type { Phrases, Rehearsal, ScriptedConversation, ScriptLine } from './rehearsal.ts';

const PHRASES: Record<Rehearsal['language'], Phrases> = { de: GERMAN, en: ENGLISH };

const user = (text: string): ScriptLine => ({ role: 'user', text });
const agent = (text: string): ScriptLine => ({ role: 'agent', text });

/**
 * Generates a conversation between a trainee and a customer. A good trainee greets, asks questions, listens, shows the
 * case's dos, handles objections and names the next step. A poor trainee talks about prices and interrupts.
 */
export function generateConversation(rehearsal: Rehearsal): ScriptedConversation {
  const phrases = PHRASES[rehearsal.language];
  const first = agent(rehearsal.first_message?.trim() || phrases.opening(rehearsal.persona.name));
  const good = rehearsal.script === 'good';
  const lines = [first, ...(good ? goodConversation(rehearsal, phrases) : poorConversation(rehearsal, phrases))];
  return addTimes(mergeLines(lines), good ? phrases.pace.calm : phrases.pace.hurried, phrases.pace.customer);
}

function goodConversation({ case: { objective, dos }, persona }: Rehearsal, phrases: Phrases): ScriptLine[] {
  const labels = dos.map(({ label }) => label);
  const isClosing = (label: string) => phrases.isClosing.test(label);
  const nextAnswer = cycle(phrases.answers);
  const nextQuestion = cycle(phrases.questions);
  const nextReply = cycle(phrases.understanding);
  const nextObjection = cycle(phrases.objecting);
  const exchanges = [
    [phrases.greeting, nextAnswer()],
    [phrases.agenda(objective), phrases.consent],
    ...labels
      .filter((label) => !isClosing(label))
      .map((label) => [`${phrases.doing(label)} ${nextQuestion()}`, nextAnswer()]),
  ];
  const objections = persona.objections
    .slice(0, 2)
    .flatMap((objection) => [agent(nextObjection()(objection)), user(nextReply()), agent(nextAnswer())]);
  const closing = labels.filter(isClosing).map(phrases.doing);
  return [
    ...exchanges.flatMap(([trainee = '', customer = '']) => [user(trainee), agent(customer)]),
    ...objections,
    user([...closing, phrases.nextStep].join(' ')),
    agent(phrases.accepting),
    user(phrases.goodbye),
  ];
}

/** Merges consecutive lines of the same speaker. */
function mergeLines(lines: readonly ScriptLine[]): ScriptLine[] {
  const turns: ScriptLine[] = [];
  for (const line of lines) {
    const last = turns.at(-1);
    if (last?.role === line.role) turns.splice(-1, 1, { ...last, ...line, text: `${last.text} ${line.text}` });
    else turns.push(line);
  }
  return turns;
}

/** A poor trainee has three turns. These are their numbers of sentences. */
const MONOLOGUE_SENTENCES = [8, 1, 1];

function poorConversation({ case: { dos } }: Rehearsal, phrases: Phrases): ScriptLine[] {
  const pitch = leastRelated(
    phrases.pitch,
    dos.map(({ label }) => label),
  );
  const turns = MONOLOGUE_SENTENCES.map((sentences) => user(pitch.splice(0, sentences).join(' ')));
  const nextProtest = cycle(phrases.protests);
  return turns.flatMap((turn, at) => {
    const last = at === turns.length - 1;
    return [turn, last ? agent(phrases.leaving) : { ...agent(`${nextProtest()} …`), cutOff: true as const }];
  });
}

/**
 * Sorts sentences by the number of words that they share with the dos, fewest first. A poor trainee says the first
 * sentences, and therefore shows few of the dos.
 */
function leastRelated(sentences: readonly string[], labels: readonly string[]): string[] {
  const labelStems = new Set(labels.flatMap(stems));
  const related = (sentence: string) => stems(sentence).filter((stem) => labelStems.has(stem)).length;
  return sentences
    .map((sentence) => ({ sentence, related: related(sentence) }))
    .sort((one, other) => one.related - other.related)
    .map(({ sentence }) => sentence);
}

const stems = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}]{4,}/gu) ?? []).map((word) => word.slice(0, 5));

/** Returns a function that returns the items in order, and starts again after the last item. */
function cycle<T>(items: readonly [T, ...T[]]): () => T {
  let next = 0;
  return () => items[next++ % items.length] ?? items[0];
}

const PAUSE_SECONDS = 0.8;

/**
 * Calculates when each line starts, from the words per minute of the speakers. A pause follows each line, except lines
 * that are cut off.
 */
function addTimes(lines: readonly ScriptLine[], traineePace: number, customerPace: number): ScriptedConversation {
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
