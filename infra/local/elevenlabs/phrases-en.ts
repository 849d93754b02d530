import type { Phrases } from './rehearsal.ts';

const lowerFirst = (text: string): string => text.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase());
const withoutStop = (text: string): string => text.replace(/[\s.!]+$/, '');

const QUESTION_VERBS = /^(?:ask|check|clarify|enquire|explore|find out|inquire|question|understand)\b/;

export const ENGLISH: Phrases = {
  opening: (name) => `Hello, ${name} speaking. You wanted to talk to me?`,
  greeting:
    'Good morning, this is Jamie Example. Thank you for taking the time today. What would you like to know by the ' +
    'end of our talk?',
  answers: [
    'Well, I would like to know whether I can rely on you this time. I have had a bad experience, and I do not ' +
      'want to go through all of that again.',
    'It was not easy, to be honest. Nobody told me what was going on, I called them again and again, and in the ' +
      'end I had to look after everything myself.',
    'For us it matters most that somebody keeps their word. I can wait for a few days, but I want to know where I ' +
      'stand, and I want it in writing.',
    'That is a good question, nobody has asked me that so far. I think we would need a clear plan, with names, so ' +
      'that I know whom to call when something goes wrong.',
    'My partner sees it the same way. We talked about it at the weekend, and we are both interested, but we do ' +
      'not want to be pushed into anything.',
    'I see. That makes sense to me, and it is more than I heard from the others. I would still like to sleep on ' +
      'it before I say yes to everything.',
  ],
  agenda: (objective) =>
    `I understand. What I would like us to reach today: ${lowerFirst(withoutStop(objective))}. Is that all right ` +
    'with you?',
  consent:
    'Yes, that is fine with me. Just please do not read me a brochure, I have three of them lying on my kitchen ' +
    'table already.',
  doing: (label) => {
    const text = lowerFirst(withoutStop(label));
    return QUESTION_VERBS.test(text) ? `May I ${text}?` : `I would like to ${text}.`;
  },
  isClosing: /\b(?:next step|date|appointment|visit|agree|clos\w+|follow.?up|summar\w+|say goodbye|thank)\b/i,
  questions: [
    'How was that for you?',
    'What would have to happen so that it goes better?',
    'What matters most to you in this?',
    'Which part of it worries you most?',
    'How does that sound to you?',
    'Have I understood you correctly?',
    'What do you think about it?',
  ],
  objecting: [
    (objection) => `There is one more thing, though. ${withoutStop(objection)}. That really holds me back.`,
    (objection) => `And something else is on my mind. ${withoutStop(objection)}. What do you say to that?`,
  ],
  understanding: [
    'I can understand that, and thank you for saying it openly. What would you need from us so that it no longer ' +
      'worries you?',
    'That is a fair point. Who else should we talk to so that you feel safe with it?',
  ],
  nextStep:
    'So that we both know how it goes on from here: I will come by on Thursday at ten, and today you will get the ' +
    'date from me in writing. Does Thursday at ten suit you?',
  accepting: 'Yes, Thursday at ten suits me. Please send it by e-mail, and then we agree on it like that.',
  goodbye:
    'Wonderful, you will have it within the hour. Thank you for the good talk, and see you on Thursday. Goodbye!',
  pitch: [
    'Yeah, um, so, we are, like, the biggest on the market, you know, and everybody buys from us, and, uh, they ' +
      'all know why.',
    'And, um, the price is, you know, the lowest that you will find anywhere, so there is, like, nothing to think ' +
      'over.',
    'I can, uh, give you fifteen per cent off, but, um, only when you sign while we are on the phone, you know.',
    'Our product has won, like, three awards, and, um, the engineers are very proud of it, and it has a cool ' +
      'display too.',
    'Other people, you know, look for months and then they pay more, so, um, that would be, like, really stupid.',
    'I have to make my numbers this month, you know, so, uh, I would really need a yes from you now.',
    'It costs, um, only nine thousand nine hundred, and that is, like, almost nothing for what you are getting.',
    'We also have, uh, the premium package, which is, you know, what most customers take, and it is shiny, like, ' +
      'really shiny.',
    'Everything else is, um, details, and the details are, like, in the small print, which nobody reads anyway, ' +
      'you know.',
    'My boss says, um, the discount is gone tomorrow, so, like, I would not wait, you know, not even an hour.',
    'The financing is, uh, super simple, you just pay every month, and, um, you will hardly feel it, you know.',
    'I will just, like, put you down for the big package, because, um, that is the one with the bonus, you know.',
  ],
  protests: [
    'Excuse me, but what I actually wanted to tell you is that last year I had a really bad',
    'That is not what I am interested in at the moment. I would first like to',
    'You are not listening to me at all, I only wanted to explain why I',
    'No, hold on, before we talk about money I would like to know',
  ],
  leaving: 'You know what, this is leading nowhere. I am going to hang up now. Goodbye.',
  pace: { calm: 140, hurried: 165, customer: 150 },
};
