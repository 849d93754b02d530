import { type Concept, concept } from './concept.ts';
import { WEEKDAY, WHEN } from './times.ts';

const MEETING =
  'termin*|folgetermin*|treffen|treff*|kalender*|einladung*|lade*|telefonier*|telefonat|melde*|hören|anruf*|rufe*|ruf|schicke*|sende*|besuch*|besprech*|gespräch*|zusammensetz*|demo*|see you|vorbei*|komme*|vor ort|als nächstes|sehen|sprechen|schritt*|passt|passen|passend*|ginge|geht|zeit|ansehen|anschauen|besichtig*|look at|view*|reservier*|trage .. ein|eintragen|vormerk*|bleibt|dabei|start*|pencil|lock*|put .. down|confirm*|vorschlag*|verbleib*|call*|meet*|schedul*|invit*|calendar|send*|email|book*|follow*|step*|speak*|talk*|visit*|come by|stop by|drop by|available|free|works?|looks?|suit*|get back|set up|put .. in|slot';

/** Of agreements and a conversation's end, and of what customers are served with. */
export const AGREEMENTS: readonly (() => Concept)[] = [
  concept('dank*|bedank*|thank*|gratitude', 'dank*|bedank*|thank*|thanks|appreciate', { rank: 'whole' }),
  concept(
    'verabschied*|abschied*|goodbye|farewell|say (?:bye|goodbye)|(?:clos*|end*|finish*) the (?:call|conversation)',
    'auf wiederhören|auf wiedersehen|wiederhören|wiederschauen|tschüss|tschüs|ciao|schönen (?:tag|abend|nachmittag|feierabend|rest*)|schönes wochenende|bis (?:dann|bald|später|nächste*|morgen)|machen sie s gut|goodbye|bye|have a (?:great|nice|good|lovely|wonderful)|talk soon|speak soon|see you|take care|talk to you',
    { rank: 'whole' },
  ),
  concept(
    'zusammenfass*|fass* .. zusammen|zusammenzufass*|wiederhol*|fass*|gleich* .. verständnis|abgleich*|richtig verstanden|summari*|summar*|recap*|wrap* up|paraphras*|understood|reflect* back|repeat* .. back|(?:check|confirm)* .. understanding',
    'fass* .. zusammen|zusammenfass*|zusammengefasst|halte* .. fest|festhalten|festzuhalten|wiederhole|wenn ich .. richtig verst*|habe ich .. richtig verst*|verstehe ich .. richtig|noch mal kurz zu*|to sum|sum up|summari*|summar*|recap*|(?:so|just) to confirm|what i ve heard|what i m hearing|what i heard|if i understood|if i understand|let me make sure|get that right|so you re saying|to wrap up|let me repeat',
    { rank: 'whole' },
  ),
  concept(
    'nächst* schritt*|folgetermin*|termin*|besuchstermin*|beratungstermin*|folgegespräch*|*rückruf*|wiedervorlage|besichtig*|next step*|follow up(?! question*)|followup*|appointment*|meeting*|viewing*|call ?back*|verbindlich* weiter*|next call|weitergeh*|weitere* vorgehen|happens next',
    MEETING,
    {
      with: `${WHEN}|nächst* schritt*|als nächstes|next step*`,
      unless: `letzte* (?:${WEEKDAY}|woche)|last (?:week|${WEEKDAY})`,
    },
  ),
  concept(
    '(?:mit|beim|by|with|use*) .. (?:namen|name)|namentlich*',
    '(?:herr|herrn|frau|mr|mrs|ms|miss|mister|dr) (?!und|oder|and|or)\\p{L}{2,}',
  ),
  concept(
    'abschlu(?:ss|ß)*|abschlie*|verkaufsabschluss|auftrag*|clos(?:e|es|ing)(?! the (?:call|conversation))|sign*|kaufentscheidung|commitment*|ask for the (?:order|sale|business)|order|bestellung*',
    '(?:wollen|sollen) wir .. (?:machen|starten|loslegen|angehen|so|festmachen|fix|los)|soll ich .. (?:vertrag|angebot|bestell|fertig|vorbereiten|reservieren|eintragen)*|vertrag*|unterschr*|bestell*|auftrag*|loslegen|abschlie*|sind sie dabei|bereit .. (?:starten|anzufangen)|machen wir das .. so|nehmen sie|darf ich .. (?:eintragen|notieren|fertig|bestellen|buchen)|möchten sie .. (?:nehmen|kaufen|bestellen|buchen)|welche* nehmen|shall we|ready to|get* started|go ahead|sign|sign up|contract*|order|move forward|proceed|deal|make it official|lock .. in|do we have|would you like to (?:go|order|take|buy|book)|put you down|can we start|which one',
  ),
  concept(
    'zusage|zustimmung|einverständnis|einverstanden|agreement|buy in|approval|consent',
    'in ordnung|einverstanden|passt das|passt .. so|okay für sie|klingt das .. gut|klingt .. gut|recht|was halten sie|zusagen|eintragen|sound* good|work* for you|happy with|okay with you|ok with you|agree|deal|fair enough|are you in|comfortable',
  ),
  concept(
    'beispiel* .. kunde*|example of .. (?:customer|client)|referenz*|beispielkund*|fallbeispiel*|erfolgsgeschicht*|kundenbeispiel*|case stud*|reference*|testimonial*|success stor*|social proof|customer stor*',
    'referenz*|ander* kund*|einer unserer kund*|eine unserer kund*|einen kund*|ein kunde|eine _ aus|ein anderer|kunde* von uns|kunden wie|kunde aus|ähnlich* (?:firm|unternehm|betrieb|situation)*|fallstudie*|viele (?:unserer|betriebe|firmen|unternehmen|kunden)|betriebe wie|firmen wie|(?:customers?|clients?) (?:like|such|in your|similar)|another (?:customer|client)|one of our|a (?:customer|client|company)|an? _ in|similar compan*|case stud*|reference*|worked with|work with .. (?:firms|companies)|companies like|many of our|most of our|(?:shops|firms|teams|stores|practices) (?:like|your)|others in your',
  ),
  concept(
    'interesse weck*|weck* interesse|weck* .. (?:interesse|neugier*)|neugier*|curiosity|attention|interest',
    'viele (?:betriebe|kunden|firmen|unternehmen)|stellen sie sich vor|wussten sie|did you know|imagine|what if|was wäre wenn|senk*|spar*|sav*|most (?:customers|companies|people|teams)|many (?:customers|companies|people|teams)',
    { rank: 'whole' },
  ),
  concept(
    'bezieh* sich|bezug*|knüpf*|anknüpf*|individuell*|maßgeschneidert*|tailor*|personali*|refer* back|relate* .. (?:situation|needs)',
    'sie .. (?:gesagt|erwähnt|sagten|erwähnten|erzählt)|wie sie|in ihrem fall|bei ihnen|für sie heißt|you (?:said|mentioned|told)|you were saying|earlier you|in your case|for you that|since you|as you',
  ),
  concept(
    '(?:ob|if|whether|for) .. (?:fragen|questions|else)|anything else|weitere* (?:fragen|anliegen|wünsche)|noch fragen|remaining questions',
    'noch .. (?:fragen|frage|etwas|was|tun)|weitere* (?:fragen|frage|punkte)|sonst noch|sonst .. (?:klären|helfen|tun)|anything else|any (?:other |further |more )?questions|what else|something else|further questions',
    { rank: 'whole' },
  ),
  concept(
    'datenschutz*|datensicher*|dsgvo|sicherheit*|security|privacy|gdpr|data protection|compliance',
    'datenschutz*|dsgvo|daten|verschlüssel*|server|sicher*|rechenzentr*|gdpr|privacy|encrypt*|secur*|iso|data|compliant|compliance|soc',
  ),
  concept(
    'kontaktdaten|e mail*|email*|telefonnummer*|adresse*|contact (?:detail|info)*|phone number|kontakt',
    'mail*|email*|nummer*|adresse*|erreiche*|durchwahl|number|address*|reach you|contact*|kontakt*',
  ),
  concept(
    'identit*|*kundennummer|vertragsnummer|account (?:number|holder)|legitim*|verif*|authenti*',
    '*nummer|geburtsdatum|wann .. geboren|anschrift|adresse|postleitzahl|account|date of birth|customer number|verif*|zip|address|last four|security question',
  ),
  concept(
    'entschuldig*|apolog*|sorry|bedauern*',
    'entschuldig*|tut (?:mir|uns) .. leid|verzeih*|bedauer*|unannehmlichkeit*|(?:am|m|are|re|so|very|really|truly|deeply) sorry|sorry (?:for|about|to|that)|apolog*',
  ),
  concept(
    'verantwort*|zuständig*|ownership|responsib*',
    'kümmere|kümmern|übernehme|übernehmen|sorge .. dafür|mein fehler|unser fehler|liegt bei uns|verantwort*|persönlich|take care of|i ll make sure|my fault|our fault|our mistake|on us|responsib*|personally|own this|see to it',
  ),
  concept(
    'lob*|kompliment*|bestärk*|praise*|compliment*|bestätigt* .. entscheidung|validate*',
    '(?:gute*|tolle*|kluge*|richtige*|prima|super|beste*) (?:entscheidung|wahl|frage|idee|gedanke|überlegung)|sehr gut|glückwunsch|(?:great|good|smart|excellent|wise|right) (?:choice|question|decision|idea|call|point|thinking)|congrat*|well done|impress*|beeindruck*',
    { rank: 'whole' },
  ),
  concept(
    'weiterempfehl*|empfehlungen|(?:um|nach) .. empfehlung|(?:ask|asks|asking) for .. recommendation*|referrals?|empfehlungsgeb*',
    'weiterempfehl*|empfehlen .. uns|kennen sie .. (?:jemanden|jemand|noch|andere)|empfehlung an|know (?:anyone|someone|anybody)|refer*|introduce .. to|colleague* who',
  ),
  concept(
    'feedback*|zufriedenheit|rückmeldung*|satisf*',
    'zufrieden*|feedback|rückmeldung*|wie fanden|wie hat .. gefallen|satisf*|happy|how was|how did|how has|how is it going with',
  ),
  concept(
    '*laufzeit*|kündigung*|kündigen|contract (?:term|length|duration)|cancel*|commitment period',
    'laufzeit*|kündig*|monate|monat|jahre|cancel*|month to month|months?|years?|term|jederzeit',
  ),
  concept(
    'garantie*|gewährleistung*|warrant*|guarantee*|service|wartung*|support',
    'garanti*|gewährleist*|warrant*|guarantee*|service*|wartung*|support*|hotline|ansprechpartner*|help desk|kundendienst',
  ),
  concept(
    'liefer(?:ung|ungen|zeit|zeiten|umfang)|versand*|shipping|deliver*',
    'liefer*|versand*|versend*|zustell*|ship*|deliver*|arriv*|ab lager|spedition*',
  ),
  concept(
    'schulung*|einweisung*|einarbeit*|onboard*|training|implement*|einführung|installation*|inbetriebnahme',
    'schulung*|schulen|einweis*|einarbeit*|einführ*|onboard*|train*|set .. up|setup|implement*|get you started|install*|montier*|montage|inbetrieb*|techniker*|anschließ*|einricht*',
  ),
  concept(
    '*öffnungszeit*|erreichbarkeit|geschäftszeit*|opening hours|office hours|business hours',
    'geöffnet|öffn*|erreichbar*|von _ bis|uhr|open|from _ to|between _ and',
  ),
  concept(
    'umwelt*|nachhaltig*|sustainab*|environment*|ökolog*|klima*',
    'umwelt*|nachhaltig*|co2|klima*|ökolog*|recycl*|sustainab*|environment*|green|carbon|emission*',
  ),
];
