const NUMBER =
  '\\d+|ein|eine|einem|einer|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|fünfzehn|zwanzig|dreißig|a|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|paar|few|couple of';
export const WEEKDAY =
  'montag*|dienstag*|mittwoch*|donnerstag*|freitag*|samstag*|monday*|tuesday*|wednesday*|thursday*|friday*|saturday*';
const MONTH =
  'januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|january|february|march|may|june|july|october|december';
/** As phrases: a day, an hour or a date to come, in German and English. */
export const WHEN = `${WEEKDAY}|(?:im|am|in|by|until|bis|ende|anfang|mitte|of|on) (?:${MONTH})|\\d+ (?:${MONTH})|(?:${MONTH}) (?:\\d+|first|second|third)|(?:am|den|zum) \\d+|\\d+ (?:uhr|o clock|am|pm)|(?:um|at|gegen|around|halb) (?:${NUMBER})|(?:${NUMBER}) uhr|übermorgen|(?:passt|gleich|bis|schon) morgen|morgen (?:um|früh|vormittag|nachmittag|abend|noch|gegen|wieder|schon|mittag|das|die|den|zu)|(?:nächste*|kommende*|übernächste*|diese*|anfang|ende|mitte) (?:woche|monat|tage*)|in (?:${NUMBER}) (?:tage*|woche*|monat*|stunde*|days?|weeks?|months?|hours?)|tomorrow*|(?:next|this|following|later this) (?:week|month|morning|afternoon)|end of (?:the )?(?:week|month|day)|(?:heute|diese) (?:noch|nachmittag|abend|woche)|noch heute|later today|kalenderwoche|kw`;
