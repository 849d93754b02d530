import { phrases } from './phrases.ts';

/** A subject that dos of sales calls are about: how a do names it, and how it sounds when a trainee speaks of it. */
export type Concept = {
  named: RegExp;
  said: RegExp;
  /** Besides: a second thing that must be said with it. */
  with?: RegExp;
  /** What sounds like it and is something else. */
  unless?: RegExp;
  /** Only tells more of another subject, where a label names one: «aktuelle Herausforderungen». */
  isWeak: boolean;
};

type Besides = { with?: string; unless?: string; isWeak?: boolean };

const concept = (named: string, said: string, besides: Besides = {}): (() => Concept) => {
  let made: Concept | undefined;
  return () => {
    made ??= {
      named: phrases(named),
      said: phrases(said),
      isWeak: besides.isWeak ?? false,
      ...(besides.with !== undefined && { with: phrases(besides.with) }),
      ...(besides.unless !== undefined && { unless: phrases(besides.unless) }),
    };
    return made;
  };
};

const NUMBER =
  '\\d+|ein|eine|einem|einer|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|fünfzehn|zwanzig|dreißig|a|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half';
const WEEKDAY =
  'montag*|dienstag*|mittwoch*|donnerstag*|freitag*|samstag*|monday*|tuesday*|wednesday*|thursday*|friday*|saturday*';
const MONTH =
  'januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|january|february|march|june|july|october|december';
const WHEN = `${WEEKDAY}|(?:im|am|in|by|until|bis|ende|anfang|mitte) (?:${MONTH})|\\d+ (?:${MONTH})|(?:${MONTH}) \\d+|\\d+ (?:uhr|o clock|am|pm)|(?:um|at|gegen|around) (?:${NUMBER})|(?:${NUMBER}) uhr|übermorgen|(?:passt|morgen|gleich|bis) morgen|morgen (?:um|früh|vormittag|nachmittag|abend|noch|gegen|wieder|schon|mittag)|(?:nächste*|kommende*|übernächste*|diese*) (?:woche|monat|tage*)|in (?:${NUMBER}) (?:tage*|woche*|monat*|stunde*|days?|weeks?|months?|hours?)|tomorrow*|(?:next|this|following|later this) (?:week|month|morning|afternoon)|end of (?:the )?(?:week|month|day)|(?:heute|diese) (?:noch|nachmittag|abend|woche)|kalenderwoche|kw`;
const MEETING =
  'termin*|folgetermin*|treffen|treff*|kalender*|einladung*|lade*|telefonier*|telefonat|melde*|anruf*|rufe*|ruf|schicke*|sende*|besuch*|besprech*|gespräch*|zusammensetz*|demo*|vorbei*|komme*|vor ort|sehen wir|sprechen|schritt*|passt|passen|passend*|ginge|geht|frei|zeit|vorschlag*|verbleib*|call*|meet*|schedul*|invit*|calendar|send*|book*|follow*|step*|speak*|talk*|visit*|available|free|works?|suit*|get back|set up|put .. in|slot|time';
const OBJECTION =
  'verstehe|versteh|kann ich .. verstehen|nachvollzieh*|verständlich*|guter punkt|berechtigt*|höre ich .. öfter|höre ich oft|bedenken|sorge|sorgen|einwand|ging .. kunden .. so|geht vielen so|understand*|i hear*|hear that|fair point|fair enough|totally fair|that s fair|get that|get it|appreciate .. (?:concern|honesty|that)|concern*|makes sense|make sense|see why|good point|valid|a lot of (?:customers|clients|people) .. (?:felt|feel|say|said)';
const SMALL_TALK = 'wie geht es ihnen|wie geht s|how are you|how s it going';

/**
 * Dos name subjects, trainees speak of them in other words; this is the bridge, in German and English at once, because
 * a case may be written in one language and spoken in the other. Our own list, measured by `coverage.test.ts`.
 */
export const CONCEPTS: readonly (() => Concept)[] = [
  concept(
    'begrüß*|gruß*|grüß*|greet*|welcom*|willkommen*|hello',
    'guten (?:morgen|tag|abend)|grüß gott|grüße sie|hallo|moin|servus|herzlich willkommen|willkommen|schönen guten|good (?:morning|afternoon|evening)|hello|hi|hey|welcome|nice to meet|thanks for (?:taking|joining)',
  ),
  concept(
    'stell* .. sich .. vor*|sich .. vor|sich .. vorstell*|sich .. vorzustell*|vorstellen|selbstvorstellung|vorstellung|(?:nenn*|sag*) .. namen|introduc* (?:your|him|her|them|one)sel*|introduc* .. themsel*|introduction|(?:say|state|stat|give|mention)* (?:your|their|his|her|own) name*',
    'mein name|ich heiße|hier (?:ist|spricht)|ich bin (?:der|die|ihr|ihre) _|ich bin _ (?:von|vom|aus)|ich bin _ _ (?:von|vom|aus)|am apparat|my name|this is _ (?:_ )?(?:from|with|calling|speaking|at|of)|i m _ (?:_ )?(?:from|with|calling|at)|i am _ (?:_ )?(?:from|with|calling|at)|it s _ (?:_ )?(?:from|calling)|calling from',
  ),
  concept('dank*|bedank*|thank*|gratitude', 'dank*|bedank*|thank*|thanks|appreciate'),
  concept(
    'verabschied*|abschied*|goodbye|farewell|say bye|close* politely|clos* the call (?:politely|warmly)',
    'auf wiederhören|auf wiedersehen|wiederhören|tschüss|tschüs|ciao|schönen (?:tag|abend|nachmittag|feierabend|rest*)|schönes wochenende|bis (?:dann|bald|später|nächste*|morgen)|machen sie s gut|goodbye|bye|have a (?:great|nice|good|lovely|wonderful)|talk soon|speak soon|see you|take care|talk to you',
  ),
  concept(
    'zusammenfass*|fass* .. zusammen|zusammenzufass*|summari*|summar*|recap*|wrap* up|paraphras*|wiederhol*|fass*|reflect* back|repeat* .. back|(?:check|confirm)* .. understanding',
    'fass* .. zusammen|zusammenfass*|zusammengefasst|halte* .. fest|festhalten|festzuhalten|wenn ich .. richtig verst*|habe ich .. richtig verst*|verstehe ich .. richtig|noch mal kurz zu*|to sum|sum up|summari*|summar*|recap*|so to confirm|just to confirm|what i ve heard|what i m hearing|what i heard|if i understood|if i understand|let me make sure|did i get that right|so you re saying|to wrap up',
  ),
  concept(
    'nächst* schritt*|folgetermin*|termin*|folgegespräch*|wiedervorlage|next step*|follow up*|followup*|appointment*|meeting*|verbindlich* weiter*|next meeting|next call|date',
    MEETING,
    { with: `${WHEN}|nächst* schritt*|next step*` },
  ),
  concept(
    'preis*|kosten|price*|pricing|cost|costs|quote a*',
    'euro|euros|eur|€|dollar|dollars|usd|\\$|pfund|pounds?|£|franken|chf|cent|cents|(?:kost*|preis*|zahl*|price*|cost*|pay) .. (?:\\d+|*hundert*|*tausend*|*zig|hundred|thousand|fifty|forty|thirty|twenty|ninety|eighty|sixty)|(?:\\d+|*zig|hundred) .. (?:im|pro|a|per) (?:monat|jahr|month|year|user|nutzer*|seat)',
  ),
  concept(
    'budget*|finanz* rahmen*|finanziell*|investitionsrahmen*|investition*|etat|mittel|financial*|spend*',
    'budget*|rahmen|preisrahmen|ausgeben|investier*|investition*|eingeplant|einplanen|etat|finanziell*|mittel|ausgabe*|spend*|afford|set aside|price range|ballpark|zur verfügung|pro jahr dafür|invest*|allocated|allocate|funds',
  ),
  concept(
    'entscheid*|entscheidungs*|decision*|decid*|stakeholder*|authority',
    'entscheid*|mitentscheid*|mitreden|beteiligt|einbezieh*|zustimm*|freigabe|freigeben|freigibt|unterschreib*|unterschreibt|absegnen|segnet|letzte* wort|chef|chefin|geschäftsführ*|vorstand|decid*|decision*|sign off*|signs off|approv*|stakeholder*|involved|who else|boss|final say|on board|budget holder',
  ),
  concept(
    'bedarf*|bedürf*|anforderung*|wünsch*|wunsch*|ziel*|need*|requirement*|goal*|objective*|motiv*|erwartung*|expectation*|prioritä*|priorit*',
    'brauch*|benötig*|wichtig*|wünsch*|worauf*|suchen|ziel|ziele|erwart*|anforder*|bedarf*|bedürf*|vorstell*|stellen .. vor|erreich*|priorit*|wert|need|needs|looking for|looking to|important|goal*|require*|hoping|want|achieve|matter*|ideal*|success look*|expect*',
  ),
  concept(
    'problem*|herausforder*|schmerz*|pain*|challeng*|stör*|unzufried*|schwierigkeit*|engp*|struggl*|frustrat*|sorgen|issue*|ärger*',
    'problem*|herausforder*|schwierig*|schwer|stör*|ärger*|nerv*|unzufried*|fehlt*|hakt|klemmt|drückt|schuh|engp*|aufwendig*|aufwändig*|sorge*|hinder*|bremst|leid|kopfzerbrechen|verbesser*|läuft .. nicht|nicht rund|schief|stockt|challeng*|difficult*|frustrat*|struggl*|bottleneck*|pain*|issue*|trouble*|annoy*|hard|hardest|worr*|keeps you up|slow* you down|headache*|go* wrong|get* in the way|improve|not working|isn t working|change about',
  ),
  concept(
    'aktuell*|derzeit*|bisher*|heutig*|bestehend*|ist situation|istsituation|ausgangslage|momentan*|situation*|current*|existing|status quo|today',
    'aktuell*|derzeit*|bisher*|bislang|heute|momentan*|im moment|zur ?zeit|gerade|jetzt|bei ihnen .. ab|läuft .. bei ihnen|machen sie das|nutzen sie|arbeiten sie|handhab*|current*|right now|at the moment|today|so far|existing|present*|these days|do you .. (?:use|handle|manage|work)|are you .. using|setup',
    // «Wie geht es Ihnen heute?» has a word for the present in it and asks for no one's situation.
    { unless: SMALL_TALK, isWeak: true },
  ),
  concept(
    'nutzen*|vorteil*|mehrwert*|kundennutzen|benefit*|value|advantage*|roi|savings?|einspar*|ersparnis*',
    'spar*|erspar*|einspar*|vorteil*|nutzen|profitier*|schneller*|weniger|entlast*|leichter|einfacher|günstiger|reduzier*|senk*|steiger*|erhöh*|gewinn*|bedeutet .. für sie|heißt .. für sie|amortisier*|lohnt|zahlt sich|bringt ihnen|damit .. sie|sav*|faster|less|fewer|reduc*|increas*|benefit*|advantage*|cut|cuts|easier|cheaper|improv*|so you can|means you|means for you|pays for itself|free* up|gain*',
  ),
  concept(
    'einw[aä]nd*|vorbehalt*|*einwand*|*einwänd*|objection*|pushback|skepsis|skepti*|zweifel*|doubt*|bedenken|concern*',
    OBJECTION,
  ),
  concept(
    'empath*|verständnis*|einfühl*|acknowledg*|understanding .. (?:concern|situation|frustrat)*|show* understanding|wertschätz*|verärger*',
    `${OBJECTION}|tut mir leid|entschuldig*|schade|sorry|apolog*|ärgerlich*|danke .. offenheit|frustrating|that must`,
  ),
  concept(
    '(?:mit|beim|by|with|use*) .. (?:namen|name)|namentlich*',
    '(?:herr|herrn|frau|mr|mrs|ms|miss|mister|dr) (?!und|oder|and|or)\\p{L}{2,}',
  ),
  concept(
    'abschlu(?:ss|ß)*|abschlie*|verkaufsabschluss|auftrag*|close|closes|closing|sign*|kaufentscheidung|commitment*|ask for the (?:order|sale|business)|order|bestellung*|zusage',
    '(?:wollen|sollen) wir .. (?:machen|starten|loslegen|angehen|so|festmachen|fix|los)|soll ich .. (?:vertrag|angebot|bestell|fertig|vorbereiten|reservieren|eintragen)*|vertrag*|unterschr*|bestell*|auftrag*|loslegen|abschlie*|sind sie dabei|bereit .. (?:starten|anzufangen)|machen wir das .. so|shall we|ready to|get* started|go ahead|sign|sign up|contract*|order|move forward|proceed|deal|make it official|lock .. in|do we have',
  ),
  concept(
    'referenz*|beispielkund*|fallbeispiel*|erfolgsgeschicht*|kundenbeispiel*|case stud*|reference*|testimonial*|success stor*|social proof|customer stor*',
    'referenz*|ander* kund*|einer unserer kund*|eine unserer kund*|einen kund*|ein kunde|ein anderer|kunde* von uns|kunden wie|kunde aus|ähnlich* (?:firm|unternehm|betrieb|situation)*|fallstudie*|(?:customers?|clients?) (?:like|such|in your|similar)|another (?:customer|client)|one of our|a (?:customer|client|company)|similar compan*|case stud*|reference*|worked with|work with .. (?:firms|companies)|companies like',
  ),
  concept(
    'testphase*|testzug*|test*|probe*|demo*|trial*|pilot*|muster*|sample*|ausprobier*|vorführ*',
    'test*|ausprobier*|probier*|probe*|demo*|pilot*|unverbindlich*|zeige* .. (?:live|system|ihnen)|vorführ*|trial*|try it|try .. (?:out|free)|free for|for free|sample*|muster*|walkthrough|show you',
  ),
  concept(
    'rabatt*|nachlass*|nachläss*|preisnachlass*|discount*|konditionen|skonto|sonderpreis*',
    'rabatt*|nachlass*|nachläss*|prozent|%|skonto|sonderpreis*|entgegenkomm*|entgegen|günstiger|discount*|percent|off|special offer|better price|knock',
  ),
  concept(
    'wettbewerb*|konkurren*|mitbewerb*|alternativ*|andere* anbieter*|vergleich*|competit*|alternative*|other (?:vendor|provider|supplier|option)*',
    'wettbewerb*|konkurren*|mitbewerb*|ander* (?:anbiet|angebot|lösung|firm|produkt|hersteller|option)*|alternativ*|vergleich*|noch .. angebot*|competit*|other (?:vendor|provider|supplier|option|offer|quote|solution|product)*|compar*|anyone else|who else .. (?:looking|talking|speaking)|alternative*|shop* around',
  ),
  concept(
    'zeitrahmen*|zeitplan*|zeitpunkt*|zeithorizont*|wann|timeline*|time ?frame*|timing|deadline*|starttermin*|dringlich*|urgency|start date|when|umsetzungszeit*|zeitlich*',
    'wann|zeitplan*|zeitrahmen*|zeitpunkt*|zeitlich*|frist|stichtag|deadline*|when|how soon|how quickly|timeline*|time ?frame*|dringend*|eilig|quartal|quarter|starten|start|go live|urgent*|wie schnell|bis zum',
  ),
  concept(
    'passt es _|erlaubnis*|permission|good time|convenient|gesprächszeit|(?:ob|whether|if) .. (?:zeit|time)*|ungünstig',
    'passt es .. (?:gerade|jetzt|ihnen)*|passt .. gerade|störe ich|stör ich|haben sie .. (?:zeit|moment|minute|minuten|sekunden)|darf ich|(?:ist|wäre) .. (?:gerade|jetzt) .. (?:gut|ungünstig|recht)|erwische ich|good time|bad time|have .. (?:minute|minutes|moment|second|seconds)|caught you|is now|may i|mind if|got .. (?:minute|minutes|moment|second|seconds)|okay if i',
  ),
  concept(
    'grund|anlass|anliegen|gesprächsgrund|anrufgrund|zweck|purpose|reason|why .. call*',
    'grund|anlass|rufe .. an|rufe sie|anruf*|melde mich|weil sie|es geht um|geht es um|reason|calling (?:you )?(?:because|about|to|regarding)|reaching out|purpose|i m calling|wanted to (?:talk|reach|call)|call* because',
  ),
  concept(
    'agenda*|ablauf*|gesprächsrahmen|structure .. (?:call|meeting)|tagesordnung',
    'agenda*|ablauf*|zuerst .. dann|erst .. dann|in den nächsten _ minuten|die nächsten _ minuten|heute gerne|für heute|vorschlag* .. wir|würde ich gerne|first .. then|today i d like|plan for|i d suggest we|over the next _ minutes',
  ),
  concept(
    'datenschutz*|datensicher*|dsgvo|sicherheit*|security|privacy|gdpr|data protection|compliance',
    'datenschutz*|dsgvo|daten|verschlüssel*|server|sicher*|rechenzentr*|gdpr|privacy|encrypt*|secur*|iso|data|compliant|compliance|soc',
  ),
  concept(
    'anzahl*|größe*|teamgröße|unternehmensgröße|wie ?viele?|menge*|umfang*|team size|company size|number of|how many|volume|size',
    'wie ?viele?|anzahl*|how many|how much|how big|how large|wie groß|size|menge*|umfang*',
  ),
  concept(
    'kontaktdaten|e mail*|email*|telefonnummer*|adresse*|contact (?:detail|info)*|phone number|kontakt',
    'mail*|email*|nummer*|adresse*|erreiche*|durchwahl|number|address*|reach you|contact*|kontakt*',
  ),
  concept(
    'angebot|angebots*|unterlagen|infomaterial*|informationsmaterial*|offer to send|quote|proposal*|brochure*|material*',
    'angebot*|unterlagen|schick*|send*|zusend*|zuschick*|infos|broschüre*|quote*|proposal*|brochure*|email you|material*|prospekt*',
  ),
  concept(
    'entschuldig*|apolog*|sorry|bedauern*',
    'entschuldig*|tut mir leid|tut uns leid|verzeih*|bedauer*|sorry|apolog*',
  ),
  concept(
    'garantie*|gewährleistung*|warrant*|guarantee*|service|wartung*|support',
    'garanti*|gewährleist*|warrant*|guarantee*|service*|wartung*|support*|hotline|ansprechpartner*|help desk|kundendienst',
  ),
  concept(
    'finanzier*|raten*|leasing*|zahlungs*|financ*|instal?lment*|payment*|leas*',
    'finanzier*|rate|raten|ratenzahl*|leas*|monatlich*|im monat|financ*|instal?l?ments?|monthly|per month|a month|pay* .. (?:later|over|annually|yearly)|zahlungsziel',
  ),
  concept(
    'small ?talk|beziehung*|rapport|eisbrecher|icebreaker|ice breaker|break the ice',
    'wie geht es ihnen|wie geht s|wie war|wochenende|wetter|urlaub|gut hergekommen|freut mich|how are you|how s your|how was|how is your|weekend|weather|holiday|vacation|hope you re|great to (?:meet|see)|pleasure',
  ),
  concept(
    'zusatz*|cross sell*|cross selling|up ?sell*|upselling|zubehör*|ergänz*|add on*|additional|accessor*',
    'zusätzlich*|außerdem|dazu .. (?:passt|passend|empfehl|noch)*|ergänz*|zubehör*|passend dazu|add on*|additional*|extra*|upgrade*|as well|accessor*|also (?:offer|have|recommend)|bundle*',
  ),
];
