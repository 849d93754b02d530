import { type Concept, concept } from './concept.ts';
import { WHEN } from './times.ts';

const TIME =
  'wann|zeitplan*|zeitrahmen*|zeitpunkt*|zeitlich*|frist*|stichtag|deadline*|spätestens|jederzeit|wie schnell|wie lange|ab wann|eilig|bald|bis zum|quartal|starten|start|when|how soon|how quickly|how long|timeline*|time ?frame*|dringend*|quarter|go live|urgent*|by when|start on|from when|by the end';

const SMALL_TALK = 'wie geht es ihnen|wie geht s|how are you|how s it going';

/** Of a conversation's opening, and of what a customer has, wants and decides by. */
export const NEEDS: readonly (() => Concept)[] = [
  concept(
    'begrüß*|gruß*|grüß*|meldet sich|melden sich|greet*|welcom*|willkommen*|hello|open* the (?:call|conversation)',
    'guten (?:morgen|tag|abend)|grüß gott|grüße sie|grüß sie|hallo|moin|servus|willkommen|schönen guten|good (?:morning|afternoon|evening)|hello|hi|hey|welcome|nice to meet|thanks for (?:taking|joining|calling)|mein name ist',
  ),
  concept(
    'stell* .. sich .. vor*|sich .. vor|sich .. vorstell*|sich .. vorzustell*|vorstellen|selbstvorstellung|vorstellung|(?:nenn*|sag*|meld*) .. (?:namen|firma)|namen und firma|introduc* (?:your|him|her|them|one)sel*|introduc* .. themsel*|introduction|(?:say|state|stat|give|mention|tell)* (?:your|their|his|her|own|who) .. (?:name*|are|company)',
    'mein name|ich heiße|hier (?:ist|spricht)|sie sprechen mit|ich bin (?:der|die|ihr|ihre) _|ich bin _ (?:_ )?(?:von|vom|aus|bei)|am apparat|_ von der firma|my name|this is _ (?:_ )?(?:from|with|calling|speaking|at|of|here)|i m _ (?:_ )?(?:from|with|calling|at)|i am _ (?:_ )?(?:from|with|calling|at)|it s _ (?:_ )?(?:from|calling|here)|i m with|calling from|speaking',
  ),
  concept(
    'passt es _|zeitpunkt passt|erlaubnis*|permission|good time|convenient|gesprächszeit|(?:ob|whether|if) .. (?:zeit|time)*|ungünstig|gelegen*',
    'passt es .. (?:gerade|jetzt|ihnen)*|passt .. gerade|störe ich|stör ich|gelegen|haben sie .. (?:zeit|moment|minute|minuten|sekunden)|darf ich|(?:ist|wäre) .. (?:gerade|jetzt) .. (?:gut|ungünstig|recht)|erwische ich|good time|bad time|have .. (?:minute|minutes|moment|second|seconds)|caught you|catch you|is now|may i|mind if|got .. (?:minute|minutes|moment|second|seconds)|(?:okay|ok|alright|in ordnung) .. (?:if|wenn) (?:i|ich)',
    { rank: 'whole' },
  ),
  concept(
    '*grund|*gründe|anlass|auslöser|zweck|purpose|reason*|why|warum|prompt*|trigger*',
    'grund|anlass|rufe .. an|rufe sie|anruf*|melde mich|weil sie|es geht um|geht es um|reason|calling (?:you )?(?:because|about|to|regarding)|reaching out|purpose|i m calling|wanted to (?:talk|reach|call)|call* because',
    {
      asked:
        'warum|wieso|weshalb|grund|anlass|auslöser|was hat sie|was führt sie|wie kommt es|wie kommen sie|was reizt|why|what made|what brought|what brings|what prompted|what led|how come|reason*|what s driving|what is driving',
    },
  ),
  concept(
    'agenda*|ablauf*|gesprächsrahmen|structure .. (?:call|meeting)|tagesordnung|roadmap',
    'agenda*|ablauf*|zuerst|erst .. dann|in den nächsten _ minuten|die nächsten _ minuten|heute gerne|für heute|würde ich gerne|first .. then|today i d like|plan for|i d suggest we|over the next _ minutes|here s what',
  ),
  concept(
    'small ?talk|beziehung*|rapport|eisbrecher|icebreaker|ice breaker|break the ice|wie es .. geht|how .. (?:is|are) doing',
    'wie geht es ihnen|wie geht s|wie war|wochenende|wetter|urlaub|gut hergekommen|freut mich|how are you|how s your|how was|how is your|weekend|weather|holiday|vacation|hope you re|great to (?:meet|see)|pleasure',
  ),
  concept(
    '*bedarf*|bedürf*|anliegen*|*anforderung*|*wünsch*|*wunsch*|*ziel|*ziele|*zielen|need*|requirement*|wants?|goal*|objective*|*motiv|*motive*|motivation|*erwartung*|expectation*|prioritä*|priorit*|wichtig .. ist|looking for',
    'brauch*|bräuchte*|benötig*|wichtig*|wünsch*|worauf|suchen|suche|ziel|ziele|erwart*|anforder*|bedarf*|bedürf*|vorstell*|vorgestellt|stellen .. vor|erreich*|priorit*|wert|worauf legen|erhoff*|verspr* sie sich|welche funktionen|was muss .. können|worum geht es ihnen|was darf|wie kann ich .. helfen|möchten sie|need|needs|looking for|looking to|important|goal*|require*|hoping|want|achieve|matter*|ideal*|success look*|expect*|what brings you|trying to|would you like|hope|hopes|features|must haves?|would help|how can i help|care about|priorit*',
  ),
  concept(
    '*problem*|herausforder*|schmerz*|schwäche*|pain*|challeng*|stör*|unzufried*|*schwierig*|difficult*|engp*|struggl*|frustrat*|sorgen|issue*|ärger*|dislike*|hate*|missfäll*|nicht gefällt|trouble*|mängel',
    '*problem*|herausforder*|schwierig*|schwer|stör*|ärger*|nerv*|unzufried*|fehlt*|hakt|klemmt|drückt|schuh|engp*|aufwendig*|aufwändig*|sorge*|hinder*|bremst|leid|kopfzerbrechen|verbesser*|läuft .. nicht|nicht rund|schief|stockt|nicht so gut|nicht optimal|gefällt .. nicht|verlier*|mühsam|umständlich*|langsam|ändern|zeitfresser|challeng*|difficult*|frustrat*|struggl*|bottleneck*|pain*|issue*|trouble*|annoy*|bother*|hard|hardest|tough*|worr*|keeps you up|slow*|headache*|hurt*|lose|losing|go* wrong|get* in the way|improve|not working|isn t working|tedious|change|wish|waste*|manual*|falls short|don t like|deal breaker*',
  ),
  concept(
    'konsequenz*|auswirkung*|folgen|passiert .. wenn|nichtstun|impact|implication*|consequence*|happens? if|inaction',
    'was passiert|was bedeutet|was heißt das|auswirk*|folgen|konsequenz*|was kostet sie|wie wirkt sich|what happens|what does .. (?:mean|cost)|what would happen|impact*|affect*|cost* you|consequence*|if you (?:do nothing|don t|wait)|stays? (?:the|as|like)|so bleibt',
  ),
  concept(
    'aktuell*|derzeit*|bisher*|heutig*|bestehend*|jetzig*|ist situation|istsituation|ausgangslage|momentan*|situation*|arbeitsweise|current*|existing|status quo|today|setup',
    'aktuell*|derzeit*|bisher*|bislang|heute|momentan*|im moment|zur ?zeit|gerade|jetzt|jetzig*|bei ihnen .. ab|läuft .. bei ihnen|machen sie das|nutzen sie|arbeiten sie|lösen sie|handhab*|seit wann|womit|mit welche*|wer betreut|verwenden sie|current*|right now|at the moment|today|so far|existing|present*|these days|do you .. (?:use|handle|manage|work)|using|how do you|who do you|what do you use|setup',
    // «Wie geht es Ihnen heute?» has a word for the present in it and asks for no one's situation.
    { unless: SMALL_TALK, rank: 'less' },
  ),
  concept(
    '*budget*|finanz* rahmen*|finanziell*|investitionsrahmen*|investition*|etat|mittel|preisvorstellung*|preisrahmen|zahlungsbereitschaft|financial*|spend*|price range|afford*',
    'budget*|rahmen|preisrahmen|ausgeben|investier*|investition*|eingeplant|einplanen|etat|finanziell*|mittel|ausgabe*|preislich*|vorgestellt|darf .. kosten|preisvorstellung*|größenordnung*|obergrenze|wie ?viel|zur verfügung|pro jahr dafür|maximal|spend*|afford|set aside|price range|ballpark|invest*|allocat*|funds|what range|how much|have in mind|had in mind|ceiling|comfortable|limit|looking to pay',
  ),
  concept(
    '*entscheid*|decision*|decid*|stakeholder*|authority|buying process|kaufprozess',
    '*entscheid*|mitreden|redet .. mit|mitspr*|außer ihnen|beteiligt|einbezieh*|zustimm*|abstimm*|absprechen|freigabe|freigeben|freigibt|unterschreib*|absegnen|segnet|letzte* wort|chef|chefin|geschäftsführ*|vorstand|partner|partnerin|ehefrau|ihre frau|ihr mann|kolleg*|mit wem|wer muss|decid*|decision*|sign off*|signs off|signs|approv*|stakeholder*|involved|who else|anyone else|(?:anybody|somebody|someone|anyone|who) .. (?:a|has) say|besides you*|weigh* in|boss|final say|on board|budget holder|who needs to|who makes|who has to|run it by|run this by|steering',
  ),
  concept(
    'zeitrahmen*|zeitplan*|*zeitpunkt|zeithorizont*|\\S+termin|dates?|*frist|*fristen|*datum|*zeitraum|wann|timeline*|time ?frame*|timing|deadline*|start date|deliver* date*|when|umsetzungszeit*|zeitlich*',
    `${WHEN}|${TIME}`,
    { asked: TIME, rank: 'less' },
  ),
  concept(
    'anzahl*|zahl|*größe*|wie ?vielen?|menge*|umfang*|*zahl|team size|company size|number of|how many|volume|size',
    'wie ?vielen?|anzahl*|how many|how much|how big|how large|wie groß|size|menge*|umfang*',
  ),
  concept(
    'einsatz*|nutzung|verwendung*|anwendung*|use cases?|usage|intended use',
    'wofür|wozu|einsetz*|verwend*|nutz*|gebrauch*|benutz*|anwend*|use|using|used',
  ),
  concept(
    'anbieter*|versorger*|lieferant*|supplier*|vendor*|provider*',
    '*anbieter*|*versorger*|lieferant*|dienstleister*|bei wem|(?:wer|mit wem) .. (?:beliefer*|betreut|arbeiten)|supplier*|provider*|vendor*|who .. (?:supplies|supply|provides)|who do you .. (?:buy|get|use|work)',
  ),
  concept(
    'wettbewerb*|konkurren*|mitbewerb*|alternativ*|andere* anbieter*|*vergleich*|competit*|alternative*|other (?:vendor|provider|supplier|option)*',
    'wettbewerb*|konkurren*|mitbewerb*|ander* (?:anbiet|angebot|lösung|firm|produkt|hersteller|option)*|alternativ*|*vergleich*|noch .. angebot*|competit*|other (?:vendor|provider|supplier|option|offer|quote|solution|product)*|compar*|anyone else|who else .. (?:looking|talking|speaking)|alternative*|shop* around|im gegensatz|anders als',
  ),
];
