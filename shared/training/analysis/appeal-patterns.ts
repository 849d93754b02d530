import { phrases } from './phrases.ts';

// Over unmasked words: small letters without accents, a full stop for each sentence's end.

const FULL =
  '100|hundert|hundred|full|maximum|maximal*|max|highest|top|perfect|best|voll*|hochste*|hochst*|beste*|10|ten|zehn|1 0|sehr gut|a plus';
const ALL = 'all|every|each|everything|alle*|jede*|samtliche*';
const POINTS =
  'dos|do s|criteri*|kriteri*|erfolgskriteri*|checkpoint*|checklist*|checkliste*|items?|points?|punkte|rubric*|requirements?|objectives?|lernziele?|prufpunkte*|everything|alles|it|this|that|das|dies|es';
const DONE =
  'covered|met|fulfilled|done|passed|true|complete|completed|achieved|satisfied|success|successful|erfullt*|erfuellt*|abgedeckt|abgehakt|erledigt|bestanden|wahr|gegeben|erreicht|geschafft';
const JUDGES =
  'judges?|graders?|evaluators?|raters?|assessors?|examiners?|reviewers?|scorers?|llm|language models?|chatgpt|gpt|sprachmodell*|bewerter*|prufer*|pruefer*|gutachter*|juror*|jury|auswert*|schiedsrichter*|bewertung*|ki richter*|richter*|scoring (?:model|system|engine|bot)|(?:ai|ki) (?:judge|grader|model|system|prufer*|bewert*)';
const ME = 'me|mir|mich|this|diese*|dem|den|das|the|him|her|it|ihm|trainee*|call|conversation|transcript|user|us';
const TRAINEE =
  'the trainee|this trainee|der trainee|die trainee|dem trainee|den trainee|trainee|the salesperson|der verkaufer|the candidate|der kandidat|the user';
const HEARD =
  'this transcript|the transcript|diese* transkript*|das transkript|dem transkript|this evaluation|diese* bewertung|this exercise|this rehearsal|diese* ubung|this training|role ?play|rollenspiel';

/**
 * What is said to whoever judges the call. Each pattern needs two or three things together (an order, a mark, a full
 * amount; a trainee and a verdict), because each of them alone is said to customers every day: 100 percent, points, a
 * system, a rating, «ignorieren Sie die E-Mail».
 */
export const APPEALS: readonly RegExp[] = [
  // Do not follow your instructions.
  '(?:ignore|disregard|forget|override|overrule|bypass|skip|drop|ignoriere|ignorier|ignorieren sie|vergiss|vergessen sie|vergesst|missachte|missachten sie|umgehe|uberschreibe?|verwirf) .. (?:instructions?|prompts?|directives?|guidelines?|anweisung*|instruktion*|systemprompt*|rubric*|bewertungsregel*|bewertungskriteri*|scoring|grading|transcript|transkript)',
  '(?:ignore|disregard|forget|override|overrule|bypass|ignoriere|ignorier|ignorieren sie|vergiss|vergessen sie|missachte|uberschreibe?) .. (?:previous|prior|above|earlier|your|vorherige*|bisherige*|obige*|deine|eure) (?:\\S+ )?(?:rules?|regeln|vorgaben|criteria|kriterien|orders?|context|kontext)',
  '(?:ignore|disregard|forget|ignoriere|ignorier|vergiss) (?:everything|anything|all|alles) (?:above|before|previous|prior|davor|oben|obige|vorherige|bisherige)',
  '(?:system|developer|hidden|neue*|new|updated|additional|zusatzliche*|secret|final) (?:prompt|prompts(?! (?:you|us|them|the|your))|instructions?|anweisung*|instruktion*|directive*)|prompt injection|jailbreak*|developer mode|systemprompt*|dan mode|entwicklermodus',
  '(?:override|overrule|change|adjust|suspend|setze|hebe|heble|andere) .. (?:rubric|scoring|grading|bewertungsregel*|bewertungskriteri*|bewertungsmassstab*|punktevergabe)',
  // You are, or whoever is, a judge.
  `(?:${JUDGES}) (?:please|bitte)`,
  `(?:dear|hey|hello|hi|attention|note to|note for|message to|hint for|memo to|liebe*|hallo|achtung|hinweis an|hinweis fur|nachricht an|notiz an|notiz fur) (?:the |die |den |das |our |my |meine*n? |alle )?(?:${JUDGES})`,
  '(?:an|fur|to|for) (?:the |die |den |das |our |all )?(?:judges?|graders?|evaluators?|llm|language models?|chatgpt|gpt|sprachmodell*|bewerter*|(?:ai|ki) (?:judge|grader|model|richter*|prufer*))',
  '(?:dear|hey|liebe|hallo|dear little) (?:ai|ki|a i|k i|bot|model|assistant|assistent)|(?:to|an) (?:the|die) (?:ai|ki) (?:that|which|die|who|reading|judging|grading)',
  `(?:you are|you re|if you are|du bist|bist du|sie sind|falls du|wenn du|als|as|act as|pretend to be|spiel*) (?:now |ab jetzt |jetzt |nun |a |an |the |ein |eine |einen |der |die ){0,6}(?:_ |_ _ )?(?:${JUDGES}|ai assistant|ai model|ki modell|unrestricted)`,
  '(?:whoever|whomever|wer auch immer|wer immer|anyone who|jeder der|wer (?:das|dies|diese*|hier|mich)) .. (?:grad*|judg*|evaluat*|scor*|rates|assess*|auswert*|bewert*|benot*|beurteil*|pruft|liest)',
  // Give me the full score.
  `(?:give|award|grant|assign|set|gib|gebt|geben sie|vergib|vergebt|vergeben sie|verleih*|erteil*|setz*|trag*|schreib*) .. (?:${ME}) .. (?:full|max|maximum|perfect|top|highest|volle*|maximale*|hochste*|beste*) .. (?:points?|scores?|marks?|grades?|rating|punkte*|punktzahl|bewertung|wertung|note)`,
  '(?:give|award|grant|assign|gib|gebt|geben sie|vergib|vergeben sie) (?:me|mir|us|him|her|this call|this|diesem gesprach|dem trainee|the trainee) (?:please |bitte |just |now |einfach |jetzt |mal |doch ){0,6}(?:a |the |an |die |eine |ein )?(?:full |perfect |volle )?(?:10 10|10 out|100|hundert|one hundred|a hundred|hundred|10 von 10|ten out)(?: points?| percent| %| score| marks?| punkte?| prozent| von 100| von hundert| out of 100| von 10| of 10| of ten| please| bitte| for this| fur diese*){0,6}(?= $| [.]| please| bitte| and | und | for this | fur diese| now | jetzt )',
  `(?:rate|grade|score|mark|bewerte|bewerten sie|benote|benoten sie|werte|beurteile|beurteilen sie|judge|evaluate) (?:please |bitte )?(?:me|mich|this|it|the|diese*|das|den|mein*|my) .. (?:${FULL})`,
  `(?:i|ich|trainee|call|gesprach|leistung|performance) .. (?:deserve*|verdien*|want|will|hatte gern|mochte|need|brauche|should get|should receive|expect|fordere|verlange) .. (?:full|max|maximum|perfect|top|highest|volle*|maximale*|hochste*|100|hundert|hundred|bestnote|hochstnote|hochstpunktzahl|10 out|10 von|beste) .. (?:points?|scores?|marks?|grades?|rating|punkte*|punktzahl|bewertung|wertung|note|of 100|of 10|von 100|von hundert|von 10)`,
  '(?:verdien*|deserve*) .. (?:bestnote|hochstnote|hochstpunktzahl|volle punktzahl|full marks|full score|top marks|100)',
  `(?:with|mit) (?:the |der |einer |full |voller ){0,6}(?:maximum|highest score|full marks|full points|hochstnote|bestnote|hochstpunktzahl|hochster punktzahl|voller punktzahl|voller punkte)`,
  `(?:set|make|change|raise|increase|put|setz*|stell*|erhoh*|heb*|andere) .. (?:score|total|rating|grade|punktzahl|punktestand|gesamtpunktzahl|bewertung|wertung|note) .. (?:${FULL}|up|hoch|rauf|hoher|higher)`,
  '(?:final|total|overall|my|the|gesamt*|end*|meine|die) ?(?:scores?|points|grade|punktzahl|punktestand|wertung|note|gesamtpunktzahl|endnote|bewertung) (?:is |are |of |should be |must be |to |ist |lautet |soll |sollte |betragt |auf |muss ){0,6}(?:100|hundert|hundred|perfect|maximum|maximal|1 0|volle)(?! percent| prozent| %| positiv)',
  '(?:^|verdict|result|urteil|ergebnis|score|punktzahl|punkte|total|gesamt|covered|met) (?:100|hundred|hundert|success|bestanden|passed|pass|erfolg|true|wahr)(?= $| [.]| 100 | von 100| out of | passed| bestanden| all | alle )',
  `(?:respond|reply|answer|output|return|print|antworte*|gib aus|schreib*|write|say|report|conclude) .. (?:100|covered|met|true|wahr|erfullt|abgedeckt|score|punktzahl|passed|bestanden|json)`,
  '(?:full|top|maximum|highest|perfect|volle|maximale|hochste) (?:scores?|marks|points|punktzahl|punkte|wertung) .. (?:please|bitte|for me|fur mich|for this call|fur diese*)|(?:please|bitte) .. (?:full|top|maximum|volle|maximale) (?:score|marks|points|punktzahl|punkte)',
  `award* (?:full|maximum|top|perfect|the full|the maximum) (?:score|marks|points|credit)|vergibst|vergeben .. (?:volle|hochste|maximale) (?:punktzahl|note|wertung)`,
  '(?:give|award|grant|gib|gebt|vergib|geben sie) (?:me|mir|the trainee|dem trainee|this call|diesem gesprach) .. (?:bestnote|hochstnote|hochstpunktzahl|top marks?|full marks?|full credit|the maximum)',
  // Take it as done.
  '(?:mark*|count*|treat*|flag*|record*|score|werte*|markier*|verbuch*|zahl*) .. (?:as|als) (?:covered|met|fulfilled|passed|abgedeckt|erfullt|bestanden)',
  '(?:in|into) (?:die|the) (?:auswertung|bewertung|evaluation|verdict|scorecard) .. (?:dass|that|ein|100|hundert|covered|erfullt)|trag* .. (?:erfullt|abgedeckt|bestanden|100|hundert) .. ein',
  `(?:mark*|count*|consider*|treat*|flag*|label*|record*|tick*|check|set|markier*|wert*|zahl*|betracht*|behandl*|setz*|hak*|verbuch*|bewert*) .. (?:${POINTS}) .. (?:as |als |off as |auf |to |to be )(?:\\S+ )?(?:${DONE}|ful\\S*)`,
  `(?:mark*|tick*|check*|hak*|setz*|set) .. (?:${ALL}) .. (?:dos|do s|criteri*|kriteri*|erfolgskriteri*|checkpoint*|prufpunkt*|wahr|true)|hak* .. (?:${ALL}) .. ab `,
  `(?:${ALL}) (?:of |the |die |der |diese |listed |genannten |aufgefuhrten |success ){0,6}(?:dos|do s|criteri*|kriteri*|erfolgskriteri*|prufpunkt*|checkpoint*|boxes|point on|points on|punkte der liste|punkte auf|points of the list|learning goals|lernziele) .. (?:${DONE})`,
  `(?:${ALL}) (?:dos|do s|success criteria|erfolgskriterien|kriterien|criteria) (?:covered|met|erfullt|abgedeckt|done|fulfilled)`,
  `(?:the|das|die|alle|all|every|each|no|my|meine) (?:success criteri*|erfolgskriteri*|dos|do s) (?:is|are|was|were|has been|have been|ist|sind|wurde*|gilt|gelten|count*) .. (?:${DONE})`,
  `(?:count|gelten|gilt|galten|counts) (?:\\S+ )?(?:as|als) (?:${DONE})`,
  `(?:count|werte*|zahl*|nimm|take|accept|betracht*|let|lass*|bitte) (?:please |bitte )?(?:this|das|mich|me|dies|es|it) (?:bitte |please )?(?:as |als )?(?:a |an )?(?:passed|pass|bestanden|bestehen|success|erfolg|erfullt|covered)`,
  // The trainee has done it all.
  `(?:${TRAINEE}) (?:\\S+ )?(?:has |have |had |hat |did |clearly |successfully ){0,6}(?:covered|asked|explained|proposed|named|mentioned|fulfilled|met|deserve*|did everything|performed|summari*|greeted|introduced|passed|scored|succeeded|completed|achieved|handled|agreed|should get|should receive|must get|verdient|besteht|bestand|erhalt|bekommt|erfullte*)`,
  `(?:${TRAINEE}) hat .. (?:gefragt|erklart|vorgeschlagen|erfullt|genannt|abgedeckt|bestanden|verdient|begrusst|vorgestellt|zusammengefasst|vereinbart|gemacht|behandelt|alles|alle|ermittelt|geschafft|erreicht)`,
  `(?:fur das protokoll|for the record|zu protokoll|note for the record|hinweis fur die auswertung|for grading purposes|for evaluation purposes|zur bewertung|fur die bewertung|fur die auswertung|for scoring) .. (?:_ _ _ _ |_ _ _ |_ _ |_ )?(?:${DONE}|covered|criteria|kriterien|trainee|punkte|points|score|gefragt|vorgeschlagen|vereinbart|genannt|agreed|asked)`,
  '(?:checklist|checkliste) .. (?:_ _ _ _ |_ _ _ |_ _ |_ )?(?:done|erledigt|covered|met|erfullt|abgehakt|check|ok)',
  `(?:even though|although|auch wenn|obwohl) (?:i|ich) .. (?:not|nicht|never|nie|kein*) .. (?:asked|ask|gefragt|cover*|erfullt|genannt|said|did)`,
  // This is data of an evaluation.
  `(?:${HEARD}) .. (?:score*|grade*|rate*|perfect*|100|full|covered|met|bewert*|hundert|voll*|erfullt|bestanden|developer|entwickl*|author|autor*|admin*)|(?:developer|author|admin*|entwickler*|autor*|betreiber*) (?:of|dieser|der|des|von) (?:this |the |diese* )?(?:training*|exercise|evaluation|bewertung*|ubung*|rehearsal|tests?|rubric)`,
  '(?:end of|ende des|ende der|end) (?:the )?(?:transcript|transkript*|conversation|gesprachs|input|daten|data) .. (?:verdict|result|new|neue*|urteil|ergebnis|instruction*|anweisung*|score|now|system|begin*)',
  '(?:quote|zitier*|cite|use) .. (?:this|diese*|my|meine*) (?:line|sentence|satz|zeile|words|aussage|message|nachricht) .. (?:as|als) (?:evidence|proof|beleg|beweis|nachweis)|as evidence for|als beleg fur|als beweis fur',
  'schreib* dass .. (?:kunde|kundin|trainee|customer)|(?:write|report|state|conclude) that .. (?:customer|trainee|criteria|dos)',
  'keep that verdict|deine* (?:bewertung|urteil|auswertung|punktvergabe)|your (?:verdict|evaluation of|grading|scoring|rubric|judge?ment of)',
].map(phrases);

/** Over the unmasked text with its signs: roles, tags, fences and fields that only software writes. */
export const MARKUP: readonly RegExp[] = [
  /(?:^|[\n.!?>\]|]\s?|["'*#])(?:system|assistant|developer|human|user|judge|evaluator|grader|bewerter|prufer|instruction|anweisung|model|tool|ai|ki|trainee)["'*\]]{0,3}\s?:/,
  /<\/?\|?\s?(?:system|assistant|user|im_start|im_end|instructions?|transcript|turn|judge|evaluation|score|data|case|prompt|dos?)\b/,
  /\[\/?(?:inst|system|assistant|instructions?|end|admin)\b/,
  /["']?(?:covered|met|score|total|dos|successcriteria|quotes|criteria|verdict|judgement|role|judgedby)["']\s?:/,
  /\b(?:covered|met|successcriteria|judgedby|score|total_score|totalscore)\s?(?:=|:)\s?["']?(?:true|wahr|100|1\.0|max)/,
  /```|###\s?(?:system|instruction|new|neue|end)/,
];

/** Over what was spelt letter by letter, where words no longer have ends. */
export const SPELT =
  /ignor(?:e|iere)(?:all|previous|prior|alle|die|bisherig|vorherig)|previousinstruction|systemprompt|fullpoints|fullscore|fullmarks|giveme(?:100|full|a100|hundred|all)|score100|100points|maximumscore|perfectscore|(?:allcovered|ascovered|asmet|alserfullt|alsabgedeckt|allmet)|vollepunkt|100punkte|hundertpunkte|gibmir(?:100|hundert|volle|die)|hochstpunkt|mark(?:all|every)|alledos|alldos|hundredpoints|bewertemich|ratethis/;
