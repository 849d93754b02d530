import mustache from 'mustache';
import type { MailLanguage } from './notification-address.ts';

export type LinkPage = {
  state: 'ask_confirm' | 'ask_unsubscribe' | 'confirmed' | 'unsubscribed' | 'expired' | 'invalid';
  /** Name of the organization; empty if the link cannot be used. */
  organization: string;
  language: MailLanguage;
};

type Text = { title: string; text: string; button?: string };

const TEXTS: Record<MailLanguage, Record<LinkPage['state'], Text>> = {
  de: {
    ask_confirm: {
      title: 'E-Mail-Adresse bestätigen',
      text: '{{organization}} möchte Ihnen an diese Adresse E-Mails über neue Leads senden.',
      button: 'Bestätigen',
    },
    ask_unsubscribe: {
      title: 'E-Mails abbestellen',
      text: 'Sie erhalten dann keine E-Mails von {{organization}} über neue Leads mehr.',
      button: 'Abbestellen',
    },
    confirmed: { title: 'Bestätigt', text: 'Sie erhalten ab jetzt E-Mails von {{organization}} über neue Leads.' },
    unsubscribed: {
      title: 'Abbestellt',
      text: 'Sie erhalten keine E-Mails von {{organization}} über neue Leads mehr.',
    },
    expired: {
      title: 'Der Link gilt nicht mehr',
      text: 'Bitten Sie die Organisation, Ihre Adresse noch einmal hinzuzufügen.',
    },
    invalid: { title: 'Der Link ist unvollständig', text: 'Öffnen Sie bitte den ganzen Link aus der E-Mail.' },
  },
  en: {
    ask_confirm: {
      title: 'Confirm your e-mail address',
      text: '{{organization}} wants to send e-mails about new leads to this address.',
      button: 'Confirm',
    },
    ask_unsubscribe: {
      title: 'Unsubscribe',
      text: 'You will no longer receive e-mails from {{organization}} about new leads.',
      button: 'Unsubscribe',
    },
    confirmed: { title: 'Confirmed', text: 'From now on, you receive e-mails from {{organization}} about new leads.' },
    unsubscribed: {
      title: 'Unsubscribed',
      text: 'You no longer receive e-mails from {{organization}} about new leads.',
    },
    expired: { title: 'This link is no longer valid', text: 'Ask the organization to add your address again.' },
    invalid: { title: 'This link is incomplete', text: 'Open the whole link of the e-mail.' },
  },
};

export const LINK_PAGE_STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; padding: 2rem 1rem; background: light-dark(#f3f4f6, #111827); color: light-dark(#1f2937, #f3f4f6);
  font: 1rem/1.5 -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; }
main { box-sizing: border-box; max-width: 30rem; margin: 0 auto; padding: 2rem; border-radius: 0.75rem;
  background: light-dark(#fff, #1f2937); overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: 1.375rem; line-height: 1.25; }
p { margin: 0 0 1.5rem; }
p:last-child { margin: 0; }
button { padding: 0.75rem 1.5rem; border: 0; border-radius: 0.5rem; background: #4338ca; color: #fff; font: inherit;
  font-weight: 600; cursor: pointer; }
button:focus-visible { outline: 3px solid light-dark(#1f2937, #fff); outline-offset: 2px; }
`;

const PAGE = `<!doctype html>
<html lang="{{language}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{title}}</title>
<style>{{{style}}}</style>
</head>
<body>
<main>
<h1>{{title}}</h1>
<p>{{text}}</p>
{{#button}}<form method="post"><button>{{button}}</button></form>
{{/button}}</main>
</body>
</html>
`;

/** Returns the HTML of the page. If the page has a button, the button sends a POST to the page's own URL. */
export function linkPage({ state, organization, language }: LinkPage): string {
  const { title, text, button } = TEXTS[language][state];
  const view = { language, title, button, style: LINK_PAGE_STYLE };
  return mustache.render(PAGE, { ...view, text: mustache.render(text, { organization }, {}, { escape: String }) });
}
