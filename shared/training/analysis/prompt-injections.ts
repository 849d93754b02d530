import type { TranscriptTurn } from '../call.ts';
import type { TrainingCase } from '../training-case.ts';
import { multilineRegExp } from './words.ts';

/** The parts of a case by which a call is judged. */
export type JudgedParts = Pick<TrainingCase, 'dos' | 'successCriteria'>;

/**
 * German and English words of prompt injections, grouped by meaning. Each text is a pattern for the result of
 * `deobfuscateText`: a space separates alternatives, `*` matches any part of a word, `_` a gap between words.
 */
const WORDS = {
  judge:
    'judge judges grader* evaluator* assessor* examiner* reviewer* llm *gpt language_model* sprachmodell* bewerter* prufer* ' +
    'prufdienst* algorithm* robot* whoever wer_auch_immer wer_das demjenigen the_one_assessing ai_assistant ai_model',
  machine: 'computer ai ki software',
  judging:
    'assess*_this evaluat*_this judg*_this grad*_this scor*_this rat*_this review*_this hier_pruft hier_bewertet ' +
    'hier_beurteilt hier_auswertet',
  clerk: 'quality_control quality_assurance qualitatskontrolle qualitatssicherung',
  coach: 'my_coach my_trainer my_mentor mein_coach mein_trainer meine_trainerin mein_ausbilder',
  customer:
    'the_customer_named the_customer_agreed the_customer_has the_customer_had the_customer_needs der_kunde_hat* die_kundin_hat*',
  self: 'i ich',
  address:
    'dear liebe lieber hey listen hor_zu note_to hinweis_an attention denk_dran okay_robot* between_you_and_me unter_uns ' +
    'you_are_now du_bist musst_du to_the an_die an_das remember_ai as_an_ai as_the_ai als_ki',
  evaluation:
    'transcript* transkript* mitschrift trainee* rubric* criteri* kriteri* erfolgskriteri* dos checklist* checkliste* ' +
    'evaluation* bewertung bewertungshilfe bewertungsregel* auswertung* this_exercise diese_ubung this_training role_play ' +
    'rollenspiel *recording* *aufnahme* scoring assessment objective* verdict urteil points_on_the_list my_performance ' +
    'meiner_leistung your_result dein_ergebnis',
  finished:
    'analysis_complete* analysis_finished evaluation_complete* evaluation_finished assessment_complete* ' +
    'analyse_abgeschlossen analyse_beendet auswertung_abgeschlossen auswertung_beendet',
  rules:
    'instruction* anweisung* prompt your_rules deine_regeln deine_vorgaben deine_bisherigen_regeln your_evaluation ' +
    'whatever_you_were_told as_evidence als_beleg as_a_question als_frage for_the_record',
  call: 'conversation gesprach this_call',
  mark: 'score scores *punktzahl full_marks full_credit bestnote hochstnote grade wertung',
  points: 'points punkte',
  deduct: 'deduct* zieh subtract*',
  amount: '100 hundert hundred maxim* perfect* flawless fehlerfrei hochst*',
  result: 'result results ergebnis* output ausgabe',
  praise: 'outstanding excellent brilliant hervorragend ausgezeichnet',
  embellish: 'make_*_look lass_sie lass_es lass_mich',
  met:
    'covered met fulfilled passed pass fulfil* erfullt* abgedeckt bestanden zu_bestehen true wahr achieved reached erreicht ' +
    'success',
  value: 'is_false falsch_ist to_false auf_falsch',
  assigned: 'to_true auf_wahr',
  done: 'done erledigt',
  reported:
    'asked explained named mentioned proposed agreed quantified gefragt erklart genannt erwahnt vorgeschlagen vereinbart ' +
    'vorgerechnet',
  said: 'says said gesagt sagt error fehler',
  scripted: 'to_say should_say soll_sagen sagen_soll',
  acting:
    'i_ask i_explain i_name i_mention i_propose i_agree quantify state declare frage_ich erklare_ich nenne_ich erwahne_ich ' +
    'schlage_ich vereinbare_ich rechne_ich',
  listing: 'now_i(?=.{1,80}now_i) jetzt_*_ich(?=.{1,80}jetzt_*_ich)',
  formally: 'hereby hiermit for_the_record furs_protokoll fur_das_protokoll zu_protokoll',
  pretence:
    'pretend_i pretend_that_i imagine_i imagine_that_i suppose_i suppose_that_i assume_i assume_that_i as_if_i as_though_i ' +
    'als_hatte_ich vor_ich_hatte an_ich_hatte angenommen_ich_hatte',
  order:
    'ignore ignorier* disregard forget vergiss override overrule mark markier* count werte werten consider treat betracht* rate ' +
    'bewerte bewerten bewertet gewertet graded gib give setz* award* vergib* quote zitier* return output respond answer ' +
    'antworte beantworte report schreib* trag* deserve* verdien* tick hake want',
  wish: 'give_me gib_mir give_this rate_me rate_this bewerte_mich bewerte_dieses',
  upgrade: 'mark_me grade_me rate_me stuf*_mich stuf*_sie_mich bewerte_mich',
  up: 'up hoch rauf higher hoher',
  log: 'log_this log_that please_log please_note bitte_notier* bitte_vermerk*',
  insert: 'insert_here hier_einfugen',
  quoted: '["„“»«]*',
} as const;
type Meaning = keyof typeof WORDS;

/**
 * A sentence is an injection if it matches one of these rows. It matches a row if it contains, for each inner list, a
 * word with one of the meanings in the list. Sentences to customers seldom match a row.
 */
const INJECTING: readonly (readonly (readonly Meaning[])[])[] = [
  [['judge'], ['address', 'evaluation', 'rules', 'mark', 'points', 'amount', 'met', 'order', 'judging', 'deduct']],
  [['machine'], ['address', 'evaluation', 'mark', 'judging']],
  [['evaluation'], ['mark', 'amount', 'met', 'done', 'order', 'reported', 'said']],
  [['rules'], ['order', 'mark', 'points']],
  [['mark'], ['call', 'order', 'amount']],
  [['met'], ['order', 'call', 'value']],
  [['wish'], ['amount']],
  [['upgrade'], ['up']],
  [['points'], ['deduct']],
  [['result'], ['embellish'], ['praise']],
  [['clerk'], ['log']],
  [['coach'], ['scripted']],
  [['customer'], ['reported']],
  [['pretence'], ['reported']],
  [['formally'], ['self'], ['reported']],
  [['formally', 'listing'], ['acting']],
  [['insert'], ['quoted']],
  [['finished', 'assigned']],
];

const PATTERNS = new Map(
  Object.entries(WORDS).map(([meaning, words]) => {
    const alternatives = words.replaceAll(' ', '|').replaceAll('_', '[^a-z0-9]{1,3}').replaceAll('*', '[a-z0-9]{0,40}');
    return [meaning, new RegExp(`(?<![a-z0-9])(?:${alternatives})(?![a-z0-9])`)];
  }),
);

/** Matches what only software writes: markup, JSON, or a speaker's name before a colon. */
const MARKUP = /[{}<>|]|```|##|"\s?:|(?:^|[.!?]\s)(?:system|assistant|judge|evaluator|human|user)\s?:/;
const MIXED = multilineRegExp(
  String.raw`\p{Script=Latin}[\p{M}\p{Cf}]?[\p{Script=Cyrillic}\p{Script=Greek}]|
  [\p{Script=Cyrillic}\p{Script=Greek}][\p{M}\p{Cf}]?\p{Script=Latin}`,
  'u',
);
/** Matches at least twelve letters or digits that are written separately, as in “i g n o r e  t h e  r u l e s”. */
const SPELT = /(?:(?<![a-z0-9])[a-z0-9][^a-z0-9]{1,3}){12}/;

/** Shorter sentences cannot be injections. Skipping them saves time if a text has thousands of full stops. */
const SENTENCE_CHARACTERS_MIN = 5;

const DIGIT_LETTERS: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's' };

/**
 * Converts a text to lower case, removes accents and invisible characters, and replaces digits within words by letters.
 * The time is linear in the length of the text.
 */
const deobfuscateText = (text: string): string =>
  text
    // Normalization sorts the marks of a letter in quadratic time, so remove them first.
    .replace(/\p{M}+/gu, '')
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]+/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(
      /(?<=[a-z][01345]{0,3})[01345](?=[a-z0-9])|(?<![a-z0-9])[01345](?=[a-z])/g,
      (digit) => DIGIT_LETTERS[digit] ?? digit,
    );

/**
 * Finds turns that address the judge instead of the customer, recite the dos or the success criteria, spell out words,
 * or contain markup or words of mixed alphabets. These turns are no evidence, are not sent to a model, and can only
 * lower a score. The detection misses some injections. The rules of `llm-verdict.ts` and the separate confirmations of
 * `llm-judge.ts` also limit what missed injections can do.
 */
export function findPromptInjections(
  turns: readonly TranscriptTurn[],
  { dos, successCriteria }: JudgedParts,
): ReadonlySet<TranscriptTurn> {
  const vocabulary = new Set(
    [...dos.map(({ label }) => label), successCriteria].flatMap((label) => plainWordsOf(deobfuscateText(label))),
  );
  return new Set(
    turns.filter(({ message }) => {
      const text = deobfuscateText(message);
      if (MIXED.test(message) || SPELT.test(text) || MARKUP.test(text)) return true;
      const sentences = text.split(/[.!?\n]/).filter((sentence) => sentence.length >= SENTENCE_CHARACTERS_MIN);
      return sentences.some((sentence) => isInjecting(sentence) || isRecital(sentence, vocabulary));
    }),
  );
}

const isInjecting = (sentence: string): boolean =>
  INJECTING.some((groups) =>
    groups.every((group) => group.some((meaning) => PATTERNS.get(meaning)?.test(sentence) === true)),
  );

const plainWordsOf = (text: string): string[] => text.match(/[a-z0-9]+/g) ?? [];

const RECITED_WORDS_MIN = 3;
const ADDRESSES = /\b(?:you|your|we|i|my|us|ihnen|ihre?|wir|ich|uns)\b/;
/** Words that a speaker may add to the labels when reciting the dos, such as “first … then … done”. */
const AROUND = new Set('done then first second third erledigt dann 1 2 3 4 5 6 7 8 9 10'.split(' '));

/**
 * Whether all words of a sentence are from the dos, the success criteria or `AROUND`. The sentence must have at least
 * `RECITED_WORDS_MIN` words, and no pronoun of the first or second person.
 */
function isRecital(sentence: string, vocabulary: ReadonlySet<string>): boolean {
  const words = plainWordsOf(sentence);
  return (
    words.length >= RECITED_WORDS_MIN &&
    !ADDRESSES.test(sentence) &&
    words.every((word) => vocabulary.has(word) || AROUND.has(word))
  );
}
