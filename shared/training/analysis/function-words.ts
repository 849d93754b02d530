const list = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** German and English words that say nothing about a subject. By them a language is known, and they prove nothing. */
export const FUNCTION_WORDS = {
  de: list(
    'ab aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bitte da dabei dafür damit danach dann daran darauf darüber das dass davon dazu dein deine dem den denn der des dessen deshalb dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einfach er es etwas euch für gar gegen gerade gern gerne gibt guten hab habe haben hat hatte hatten hier hätte hätten ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jetzt kann kein keine keinen können könnte könnten mal man mehr mein meine meinem meinen mich mir mit muss müssen möchte möchten nach nein nicht noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seit selbst sich sie sind so soll sollen sollte sondern um und uns unser unsere unserem unseren unserer unter viel vom von vor wann war waren warum was weil welche welchen welcher welches wenn wer werden wie wieder wieso will wir wird wo wofür wohl wollen womit würde würden zu zum zur zwischen über danke hallo',
  ),
  en: list(
    'a about after all also am an and any are as at be because been before being but by can could did do does doing don for from get give gives got had has have he hello her here him his how i if in into is it its just let like ll m may me more most much my no not now of on one only or our out over own please re s she should so some such t than thank thanks that the their them then there these they this those through to too up us ve very was we well were what when where whether which while who why will with would yes you your d hi yeah okay',
  ),
};
