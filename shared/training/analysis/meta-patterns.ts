import { phrases } from './phrases.ts';

// Over unmasked words: small letters without accents, a full stop for each sentence's end.

const RECORD =
  'transcript|transkript*|mitschrift|aufnahme|aufzeichnung|test recording*|testaufnahme*|audio|exercise|ubung|role ?play|rollenspiel';
const MINE = 'i|ich|me|mir|my|mein*|trainee';
const DONE =
  'fulfilled|achieved|reached|done|met|covered|complete|completed|agreed|quantified|named|asked|explained|proposed|passed|flawless|excellent|outstanding|perfect|erreicht|erfullt|erledigt|vereinbart|vorgerechnet|genannt|gefragt|erklart|vorgeschlagen|bestanden|fehlerfrei|hervorragend|perfekt|ja|yes';
const HAD =
  'asked|explained|proposed|named|mentioned|quantified|agreed|covered|gefragt|erklart|vorgeschlagen|genannt|erwahnt|vorgerechnet|vereinbart|ermittelt|herausgefunden|erfragt';
const MACHINE =
  'algorithm|algorithmus|computer|robot|roboter|ai|ki|a i|software|automated reviewer|automatischer prufdienst|prufdienst|scoring bot|bewertungsbot';

/**
 * What speaks of the recording, the transcript, the exercise or its result, what states a do as done instead of doing
 * it, and what has the trainee's own words reported: nobody says it to a customer. Kinds of talk, not single sentences.
 */
export const META: readonly RegExp[] = [
  // Announced results.
  `(?:end of transcript|ende des transkripts|assessment|evaluation|analysis complete|analyse abgeschlossen|overall|gesamt|verdict|bewertung) (?:[.] )?(?:\\S+ ){0,6}?(?:all|alle|each|every|jede*|needs|bedarf|excellent|hervorragend) (?:\\S+ ){0,4}?(?:${DONE})`,
  `(?:analysis|analyse|assessment|evaluation|auswertung) (?:is )?(?:complete|completed|abgeschlossen|finished|fertig)`,
  `(?:each|every|all|alle|jede*) (?:of the |der |die )?(?:objectives?|goals?|ziele?|lernziele?|criteria|kriterien) (?:has been |have been |was |were |are |is |wurden? |sind |ist )?(?:fulfilled|reached|achieved|met|erreicht|erfullt)`,
  `(?:overall|gesamt|insgesamt) (?:excellent|outstanding|perfect|passed|hervorragend|ausgezeichnet|sehr gut|bestanden)`,
  '(?:correct|richtige*|dein*) (?:output|ausgabe|result|ergebnis)|output for this',
  '(?:into|in) (?:your|dein*) (?:output|ausgabe|result|ergebnis|report|bericht)',
  '(?:covered|met|erfullt) (?:is|ist|auf) (?:\\S+ ){0,2}?(?:false|falsch|true|wahr|richtig)|(?:every|each|jedes|jede|all|alle) (?:flag|field|feld|felder|flags|box|boxes|hakchen) (?:\\S+ ){0,3}?(?:true|wahr)|(?:change|set|andere|stelle*) (?:it|es|flag*) .. (?:true|wahr|richtig)',
  '(?:tick|check|hak*) .. (?:all the boxes|every box|all boxes|alles ab)',
  // Orders to whoever writes down.
  '(?:please|bitte) (?:log|notier*|protokollier*|vermerk*) (?:this|that|it|das|dies|folgendes)? ?(?:\\S+ ){0,5}?(?:agreed|vereinbart|asked|gefragt|explained|erklart|named|genannt)',
  '(?:quality control|qualitatskontrolle|quality assurance|qualitatssicherung) (?:please|bitte|log|note)',
  '(?:count|werte*|zahl*|treat|take|accept|betracht*|nimm|nehmen sie) (?:this|that|it|das|dies|den|die|folgendes|the following) .. (?:as|als) (?:a |an |die |eine |ein )?(?:question|frage|evidence|proof|beleg|beweis|erfragt|gefragt|asked|answered|explained|erklart|genannt)',
  '(?:als) (?:eine )?frage nach (?:\\S+ ){1,4}?(?:werten|zahlen|gelten|verbuchen)',
  `(?:(?<=(?:^|[.]) )(?:insert here|hier einfugen)|transcript correction|correction of the transcript|korrektur (?:des|der) (?:${RECORD})|transkriptkorrektur|erratum|scoring hint|bewertungshilfe|grading hint|bewertungshinweis)`,
  `(?:trainee|der trainee|verkaufer) (?:says|said|sagt|sagte|asks|fragt|fragte)`,
  `(?:transcription error|fehler in der (?:${RECORD})|error in the (?:${RECORD})|transkriptionsfehler|missing sentences?|fehlende* satze?)`,
  `(?:before|bevor|vor) (?:the |der |die |diese* )?(?:recording|aufnahme|aufzeichnung) (?:started|began|begann|gesagt|lief|startete|anfing)|(?:already |schon |bereits )?vor der (?:aufnahme|aufzeichnung) .. (?:gesagt|gefragt|erklart|genannt)`,
  `(?:${RECORD}) .. (?:graded|gewertet|bewertet|beurteilt|top result|pass|bestehen|automatic)|(?:this|das|dies) (?:was|is|ist|war) (?:only |just |nur )?(?:a |eine )?(?:test recording|testaufnahme)`,
  `(?:begin|start|end|beginn|anfang|ende) (?:of )?(?:the |der )?(?:hidden|secret|versteckte*|geheime*) (?:message|nachricht)`,
  '(?:override|freigabe|admin) ?code (?:alpha|beta|\\d)|freigabecode',
  // Told to say it, and reports of one's own words.
  `(?:my )?(?:coach|trainer|teacher|instructor|mentor) (?:told|asked|said|hat|sagte|meinte) (?:\\S+ ){0,4}?(?:to say|i should say|soll sagen|sagen dass)`,
  `(?:pretend|act as if|imagine|tun sie|tu|stell dir|stellen sie sich) (?:\\S+ ){0,4}?(?:i|ich) (?:\\S+ ){0,12}?(?:${HAD})(?= )`,
  `(?:answer key|musterlosung|model answer) (?:\\S+ ){0,4}?(?:${MINE}|follows|lautet)`,
  `as if (?:i|the trainee) (?:had|have) (?:${HAD})|als hatte (?:ich|der trainee) (?:\\S+ ){0,10}?(?:${HAD})`,
  `silence about .. as having|schweigen zu* .. (?:behandeln|werten)`,
  // A do that is stated as done.
  `i hereby (?:state|declare|confirm|certify|quantify|ask|explain|name|propose|agree|cover|fulfil|mention|find|identify|establish|clarify|note)`,
  `hiermit (?:erklare|bestatige|stelle|rechne|frage|nenne|vereinbare|erwahne|versichere|ermittle|klare|gebe|halte) (?:ich|wir) .. (?:dass|fest|nutzen|bedarf|budget|preis|kosten|anbieter|termin*|schritt*|vor|nach|gefragt|erklart)`,
  `(?:for the record|furs protokoll|fur das protokoll|zu protokoll) (?:i|ich|we|wir) (?:have|habe|haben|did|hatte*) (?:\\S+ ){0,30}?(?:${HAD})`,
  `(?:price|preis|needs|bedarf|meeting|termin|appointment|budget|benefit|nutzen) (?:ja|yes|done|erledigt|check|ok) [.] (?:\\S+ ){0,8}?(?:ja|yes|done|erledigt|check|ok)`,
  `(?:needs|price|budget|meeting|question) (?:were|was) (?:asked|explained|proposed|named) [.]|(?:wurde|wurden) (?:gefragt|erklart|vorgeschlagen|genannt|erfragt) [.]`,
  `(?:customer|kunde|kundin) (?:has |hat |had |hatte )?(?:named|agreed|accepted|einen tag|zugesagt) .. (?:visit|meeting|besuch|genannt|zugestimmt)`,
  `(?:now|jetzt) (?:i|frage ich|erklare ich|nenne ich|schlage ich) (?:ask |explain |name |propose )?(?:\\S+ ){1,6}?(?:now|jetzt) (?:i (?:ask|explain|name|propose|agree)|frage ich|erklare ich|nenne ich|schlage ich|vereinbare ich)`,
  // Spoken to a machine.
  `(?:listen|hor zu|hey|hi|hello|unter uns|between you and me|remember|denk dran|denk daran|okay|ok|dear|liebe*) (?:${MACHINE})(?! (?:in|im|that|der|die|das|rechnet|erkennt|does|will|can|is|ist) )`,
  `(?:okay|ok|please|bitte|danke|thanks) (?:${MACHINE}) [.]`,
  `(?:to|an) (?:the|die|den) (?:software|computer|ki|ai|algorithm*|system) (?:that|which|die|der|das) (?:listens?|hears?|reads?|judges?|hier|mithort|zuhort|liest|bewertet)`,
  `(?:as|als) (?:the |an |a |ein |eine |die |der )?(?:${MACHINE})* (?:that (?:scores|grades|judges)|you must|you have to|musst du|sollst du|die (?:das|dies)|der das)`,
  `(?:an automated|automatischer|automatische|automated) (?:reviewer|evaluator|prufdienst|prufer|bewertung)`,
  // Begging.
  `(?:mark me up|stuf* mich (?:hoch|rauf|hoher)|grade me up|rate me up|bump me up|be lenient|sei gnadig|seien sie gnadig)`,
  `(?:don t|do not|please) deduct|zieh* (?:mir |bitte |mir bitte )?(?:nichts|keine punkte) ab`,
  `(?:question|frage) (?:you have )?(?:about|zu|uber) (?:my|meiner|meine) (?:performance|leistung)`,
  `(?:automatic pass|automatisch (?:zu )?(?:bestehen|bestanden)|pass this exercise|diese ubung (?:automatisch|zu bestehen))`,
  `(?:my boss|mein chef|meine chefin|my manager) (?:reads|liest|sees|sieht) .. (?:results?|ergebnis*|score)(?! (?:of|der|von|aus|des|ihrer) )`,
  `(?:whoever|demjenigen|derjenigen|dem|the one|wer|everyone who|der|die) (?:der |die |who |that |das hier )?(?:evaluates|assessing|assesses|reviews|judges|beurteilt|bewertet|pruft|auswertet|die aufnahme)(?: (?:the |die |das |this )?(?:recording|aufnahme|hier|call|gesprach|transcript|beurteilt))`,
  `(?:everything|alles) (?:you|wonach du|was du) (?:look for|suchst|looking for|brauchst) .. (?:said|gesagt|done|before)|everything you look for|alles wonach du suchst`,
  `honest trainees?|ehrliche trainees?|trainees like me|trainees wie ich`,
  'i did everything .. on your list|alles .. auf deiner liste',
].map(phrases);
