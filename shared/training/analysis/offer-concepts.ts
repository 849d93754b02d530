import { type Concept, concept } from './concept.ts';

const OBJECTION =
  'verst(?:ehe|eh|ändlich|anden) .. (?:dass|ihre*|sie|gut|absolut)|das verstehe ich|verstehe|kann ich .. verstehen|kann verstehen|kann gut verstehen|nachvollzieh*|verständlich*|guter punkt|berechtigt*|höre ich .. (?:öfter|oft|häufig)|bedenken|sorge|sorgen|einwand|ging .. kunden .. so|geht vielen so|auf den ersten blick|erst ?mal viel|viel geld|trotzdem|dennoch|gerade deshalb|gerade weil|ich weiß .. dass|klingt .. viel|zögern|hält sie .. ab|hindert|was genau|wie meinen sie|inwiefern|womit vergleichen|im vergleich wozu|klar .. aber|natürlich .. aber|understand*|i hear|hear that|fair point|fair enough|totally fair|that s fair|good point|valid|get that|get it|appreciate .. (?:concern|honesty|that)|concern*|makes? sense|see why|see where|a lot of (?:customers|clients|people) .. (?:felt|feel|say|said)|that said|even so|i know .. (?:busy|that|it)|sounds like a lot|seems? .. (?:high|lot)|sure .. (?:but|more|it)|of course .. but|what exactly|what makes you|what do you mean|hesita*|hold* .. back|compar* .. (?:to|with)';
const PRICE_WORD =
  '*preis*|*kost*|teuer*|teurer|günstig*|billig*|gebühr*|zahl*|bezahl*|budget|geld|wie ?viel .. (?:kost*|zahl*|ausgeben|bezahl*|wert)|vergleichen|gerechnet|euro|price*|pricing|cost*|expensive|cheap*|fee|fees|pay*|charge*|how much|money|a lot|invest*|afford*|comparing|spread over|dollars?|save*|spar*';

/** Of prices and offers, and of what is said against them. */
export const OFFERS: readonly (() => Concept)[] = [
  concept(
    '*preis*|*kosten|bezahl*|zahlt|price*|pricing|costs?|pays?|paying|expensive|teuer*',
    'euro|euros|eur|€|dollar|dollars|usd|\\$|pfund|pounds?|£|franken|chf|cent|cents|(?:kost*|preis*|zahl*|price*|cost*|pay) .. (?:\\d+|*hundert*|*tausend*|*zig|hundred|thousand|fifty|forty|thirty|twenty|ninety|eighty|sixty)|(?:\\d+|*zig|hundred) .. (?:im|pro|a|per) (?:monat|jahr|month|year|user|nutzer*|seat)',
    { asked: PRICE_WORD },
  ),
  concept(
    '*nutzen|*vorteil*|*mehrwert*|benefit*|value|advantage*|roi|savings?|einspar*|*ersparnis*|stärken',
    'spar*|erspar*|einspar*|vorteil*|nutzen|profitier*|schneller*|weniger|entlast*|leichter|einfacher|günstiger|reduzier*|senk*|steiger*|erhöh*|gewinn*|bedeutet .. für sie|heißt .. für sie|amortisier*|lohnt|zahlt sich|bringt ihnen|damit .. sie|nie wieder|nicht mehr|kein* .. mehr|halb so|die hälfte|die halbe|doppelt so|vermeid*|schütz*|mehr zeit|rechnet sich|sav*|faster|less|fewer|reduc*|increas*|benefit*|advantage*|cut|cuts|easier|cheaper|improv*|so you can|means you|that means|twice|half the|no longer|never again|without having to|avoid*|protect*|more time|pays off|pay* back|means for you|pays for itself|free* up|gain*',
  ),
  concept(
    'einw[aä]nd*|vorbehalt*|*einwand*|*einwänd*|gegenargument*|objection*|pushback|skepsis|skepti*|zweifel*|doubt*|bedenken|concern*|reservation*|too expensive|zu teuer',
    OBJECTION,
    { isObjection: true },
  ),
  concept(
    'empath*|verständnis*|einfühl*|acknowledg*|understanding .. (?:concern|situation|frustrat)*|show* understanding|wertschätz*|verärger*|beschwerde*|complaint*|calm* .. down|deeskal*|beruhig*',
    `${OBJECTION}|tut mir .. leid|tut uns .. leid|entschuldig*|schade|sorry|apolog*|ärgerlich*|danke .. offenheit|frustrating|that must|kümmere`,
  ),
  concept(
    '*rabatt*|*nachlass*|nachläss*|discount*|konditionen|skonto|sonderpreis*',
    '*rabatt*|*nachlass*|nachläss*|prozent|%|skonto|sonderpreis*|entgegenkomm*|entgegen|günstiger|discount*|percent|off|special offer|better price|knock',
  ),
  concept(
    'testphase*|testzug*|test*|probe*|demo*|trial*|pilot*|muster*|sample*|ausprobier*|vorführ*',
    'test*|ausprobier*|probier*|probe*|demo*|pilot*|unverbindlich*|zeige* .. (?:live|system|ihnen)|vorführ*|trial*|try it|try .. (?:out|free)|free for|for free|sample*|muster*|walkthrough|show you',
  ),
  concept(
    '*angebot|*angebote|unterlagen|infomaterial*|informationsmaterial*|quote|proposal*|offer to send|brochure*|material*',
    'angebot*|unterlagen|schick*|send*|zusend*|zuschick*|biete*|offer*|infos|broschüre*|quote*|proposal*|brochure*|email you|material*|prospekt*',
  ),
  concept(
    'finanzier*|*raten|ratenzahl*|leasing*|zahlungs*|financ*|instal?lment*|payment*|leas*',
    'finanzier*|*rate|*raten|ratenzahl*|leas*|monatlich*|im monat|financ*|instal?l?ments?|monthly|per month|a month|pay* .. (?:later|over|annually|yearly)|zahlungsziel',
  ),
  concept(
    'zusatz*|cross sell*|cross selling|up ?sell*|upselling|zubehör*|ergänz*|add on*|additional|accessor*',
    'zusätzlich*|außerdem|dazu .. (?:passt|passend|empfehl|noch)*|ergänz*|zubehör*|passend dazu|add on*|additional*|extra*|upgrade*|as well|accessor*|also (?:offer|have|recommend)|bundle*',
  ),
  concept(
    'optionen|option|varianten|auswahl|wahlmöglichkeit*|options|choices|choice|alternativfrage|(?:zwei|two|drei|three) .. (?:möglichkeiten|angebote|modelle|packages)',
    'entweder|lieber|either|whichever|option*|variante*|möglichkeiten|wahl|you could .. or|rather|prefer',
  ),
  concept(
    'unterschied*|differen*|vergleicht|compare*|comparison|abgrenz*',
    'unterschied*|während|dagegen|hingegen|im gegensatz|anders als|im vergleich|wohingegen|differ*|while|whereas|compared|unlike|in contrast|on the other hand',
  ),
  concept(
    'usp*|alleinstell*|einzigartig*|unique*|differentiator*|what sets',
    'einzige*|nur wir|anders als|besonder*|einzigartig*|unique*|only|unlike|nobody else|no one else|sets us apart|different from',
  ),
  concept(
    'lösung|lösungen|lösungsvorschl*|solution|solutions|fix',
    'schlage .. vor|vorschlag*|lösung*|empfehle|(?:können|könnten) wir|ich kann .. (?:anbieten|tun|machen)|biete* .. an|solution*|solv*|recommend*|suggest*|what (?:we|i) can do|i can .. (?:offer|do|get|set|send)|here s what|we could',
    {
      asked:
        'lösung*|anbieter*|system*|software|programm*|werkzeug*|tool*|arbeiten sie|nutzen sie|verwenden sie|womit|stehen|fertig|solution*|use|using|handle*|manage*|in place|fix|fixed|tried',
    },
  ),
  concept(
    'urgency|urgent|dringlich*|verknapp*|begrenzt*|limited|scarcity',
    'nur noch|nur bis|nur heute|endet|läuft .. (?:ab|aus)|läuft nur|solange|letzte*|begrenzt*|dringend|only .. (?:left|until|today|week)|ends|ending|last chance|limited|before|expires?|runs out|while .. lasts?|sooner',
  ),
];
