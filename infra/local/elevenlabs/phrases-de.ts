import type { Phrases } from './rehearsal.ts';

const withoutStop = (text: string): string => text.replace(/[\s.!]+$/, '');
/** Matches a clause that ends with an infinitive, as German instructions do: „nach dem Dach fragen“. */
const INFINITIVE = /(?:^|\s)\p{Ll}+(?:en|ern|eln|tun)$/u;
const QUESTION_VERBS = /(?:fragen|\bklären|ermitteln|herausfinden|erkunden|verstehen)$/;
/** Words that have a capital letter only because they start an instruction. */
const INSTRUCTION_START = new RegExp(
  '^(?:Nach|Den|Die|Das|Dem|Der|Einen|Eine|Ein|Zu|Zum|Zur|Auf|Mit|Im|In|An|Am|Vor|Über|Um|Von|Für|Offene?n?|Aktiv|' +
    'Nächsten?|Keine|Erst|Konkrete?n?|Kurz|Klar|Alle|Beide)(?=\\s)',
);

function doing(label: string): string {
  const text = withoutStop(label);
  const [clause = ''] = text.split(/\s*[,;:–]/);
  if (!INFINITIVE.test(clause)) return `Wichtig ist mir dabei: ${text}.`;
  const instruction = text.replace(INSTRUCTION_START, (word) => word.toLowerCase());
  return QUESTION_VERBS.test(clause) ? `Darf ich ${instruction}?` : `Ich möchte gern ${instruction}.`;
}

export const GERMAN: Phrases = {
  opening: (name) => `Hallo, hier ist ${name}. Sie wollten mit mir sprechen?`,
  greeting:
    'Guten Tag, mein Name ist Toni Beispiel. Danke, dass Sie sich heute die Zeit nehmen. Was möchten Sie am Ende ' +
    'unseres Gesprächs wissen?',
  answers: [
    'Ich möchte vor allem wissen, ob ich mich diesmal verlassen kann. Ich habe schlechte Erfahrungen gemacht, und ' +
      'noch einmal möchte ich das alles nicht mitmachen.',
    'Das war ehrlich gesagt nicht leicht. Niemand hat mir gesagt, was los ist, ich habe immer wieder angerufen, ' +
      'und am Ende musste ich mich um alles selbst kümmern.',
    'Für uns zählt am meisten, dass jemand sein Wort hält. Ein paar Tage kann ich warten, aber ich will wissen, ' +
      'woran ich bin, und ich will es schriftlich haben.',
    'Das ist eine gute Frage, das hat mich bisher niemand gefragt. Wir bräuchten wohl einen klaren Plan, mit ' +
      'Namen, damit ich weiß, wen ich anrufen kann, wenn etwas schiefgeht.',
    'Meine Partnerin sieht das genauso. Wir haben am Wochenende darüber gesprochen, und wir haben beide ' +
      'Interesse, aber wir wollen uns zu nichts drängen lassen.',
    'Verstehe. Das leuchtet mir ein, und es ist mehr, als ich von den anderen gehört habe. Ich würde trotzdem ' +
      'gern eine Nacht darüber schlafen, bevor ich zu allem Ja sage.',
  ],
  agenda: (objective) =>
    `Das verstehe ich. Was ich heute mit Ihnen erreichen möchte: ${withoutStop(objective)}. Ist das so in Ordnung ` +
    'für Sie?',
  consent:
    'Ja, das ist in Ordnung. Lesen Sie mir bitte nur keinen Prospekt vor, davon liegen bei mir schon drei auf dem ' +
    'Küchentisch.',
  doing,
  isClosing: /n(?:ä|ae)chste\w* Schritt|Termin|Datum|vereinbar|verabred|Abschluss|zusammenfass|verabschied|bedanken/i,
  questions: [
    'Wie war das für Sie?',
    'Was müsste geschehen, damit es besser läuft?',
    'Was ist Ihnen dabei am wichtigsten?',
    'Welcher Teil davon macht Ihnen die meisten Sorgen?',
    'Wie klingt das für Sie?',
    'Habe ich Sie richtig verstanden?',
    'Was meinen Sie dazu?',
  ],
  objecting: [
    (objection) => `Eine Sache ist da allerdings noch. ${withoutStop(objection)}. Das hält mich wirklich ab.`,
    (objection) => `Und noch etwas geht mir durch den Kopf. ${withoutStop(objection)}. Was sagen Sie dazu?`,
  ],
  understanding: [
    'Das kann ich gut verstehen, und danke, dass Sie es offen ansprechen. Was bräuchten Sie von uns, damit es ' +
      'Ihnen keine Sorgen mehr macht?',
    'Das ist ein berechtigter Einwand. Mit wem sollten wir noch sprechen, damit Sie sich sicher fühlen?',
  ],
  nextStep:
    'Damit wir beide wissen, wie es jetzt weitergeht: Ich komme am Donnerstag um zehn Uhr vorbei, und heute ' +
    'bekommen Sie den Termin von mir schriftlich. Passt Ihnen Donnerstag um zehn Uhr?',
  accepting: 'Ja, Donnerstag um zehn passt mir. Schicken Sie es bitte per E-Mail, dann sind wir uns so einig.',
  goodbye:
    'Sehr schön, Sie haben es innerhalb einer Stunde. Vielen Dank für das gute Gespräch und bis Donnerstag. Auf ' +
    'Wiederhören!',
  pitch: [
    'Ja, ähm, also wir sind halt die Größten am Markt, äh, und alle kaufen bei uns, die wissen sozusagen auch, warum.',
    'Und, ähm, der Preis ist quasi der niedrigste, den Sie, äh, irgendwo finden, da gibt es halt nichts zu überlegen.',
    'Ich kann Ihnen, äh, fünfzehn Prozent geben, aber, ähm, halt nur, wenn Sie noch am Telefon unterschreiben.',
    'Unser Produkt hat, ähm, drei Preise gewonnen, und die Ingenieure sind, äh, sozusagen sehr stolz darauf.',
    'Andere Leute suchen, äh, monatelang und zahlen dann mehr, das wäre, ähm, halt schon ziemlich dumm.',
    'Ich muss, ähm, diesen Monat noch meine Zahlen machen, also, äh, ich bräuchte halt jetzt ein Ja von Ihnen.',
    'Das kostet, äh, nur neuntausendneunhundert, und das ist, ähm, quasi nichts für das, was Sie bekommen.',
    'Wir haben, ähm, auch noch das Premiumpaket, das nehmen, äh, halt die meisten, und das glänzt sozusagen richtig.',
    'Alles andere sind, äh, Einzelheiten, und die stehen, ähm, quasi im Kleingedruckten, das liest halt sowieso ' +
      'keiner.',
    'Mein Chef sagt, ähm, der Rabatt ist morgen weg, also, äh, ich würde halt keine Stunde mehr warten.',
    'Die Finanzierung ist, äh, super einfach, Sie zahlen halt jeden Monat, und, ähm, das spüren Sie quasi kaum.',
    'Ich trage Sie, ähm, einfach mal für das große Paket ein, weil, äh, das ist halt das mit dem Bonus.',
  ],
  protests: [
    'Entschuldigung, aber was ich eigentlich sagen wollte, ist, dass ich im letzten Jahr eine wirklich schlechte',
    'Das interessiert mich im Moment gar nicht. Ich möchte zuerst einmal',
    'Sie hören mir überhaupt nicht zu, ich wollte nur erklären, warum ich',
    'Nein, Moment, bevor wir über Geld reden, möchte ich wissen',
  ],
  leaving: 'Wissen Sie was, das führt zu nichts. Ich lege jetzt auf. Auf Wiederhören.',
  pace: { calm: 120, hurried: 145, customer: 130 },
};
