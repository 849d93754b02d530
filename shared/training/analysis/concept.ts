import { phrases } from './phrases.ts';

/** A subject that dos of sales calls are about: how a do names it, and how it sounds when a trainee speaks of it. */
export type Concept = {
  named: RegExp;
  said: RegExp;
  /** Besides: a second thing that must be said with it. */
  with?: RegExp;
  /** What sounds like it and is something else. */
  unless?: RegExp;
  /** How it is spoken of in a question, or in answer to an objection: a price without an amount. */
  asked?: RegExp;
  /**
   * `less`: only tells more of another subject where a label names one («aktuelle Herausforderungen»); `whole`: other
   * subjects of the label only tell what it is about («fasst Bedarf und Budget zusammen»).
   */
  rank: 'less' | 'equal' | 'whole';
  isObjection: boolean;
};

type Besides = Partial<Record<'with' | 'unless' | 'asked', string> & Pick<Concept, 'rank' | 'isObjection'>>;

/** Made when it is first needed: a call's dos name a few subjects, and patterns take their time to make. */
export const concept = (named: string, said: string, besides: Besides = {}): (() => Concept) => {
  let made: Concept | undefined;
  const { rank = 'equal', isObjection = false, ...others } = besides;
  return () => {
    made ??= {
      ...{ named: phrases(named), said: phrases(said), rank, isObjection },
      ...Object.fromEntries(Object.entries(others).map(([key, list]) => [key, phrases(list)])),
    };
    return made;
  };
};
