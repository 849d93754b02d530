import type { MailLanguage } from '../notification-address.ts';

/** Texts of mails. Their variables are Mustache variables. */
export type MailTexts = {
  yes: string;
  no: string;
  file: string;
  page: string;
  moreFields: string;
  submitted: string;
  confirmation: { subject: string; title: string; text: string; button: string; note: string };
  lead: { subject: string; title: string };
  leads: { subject: string; title: string; others: string };
  paused: { subject: string; title: string; text: string; labels: Record<'url' | 'failingSince' | 'pausedAt', string> };
  /** Why the recipient gets the mail. */
  reason: string;
  unsubscribe: string;
};

const TEXTS: Record<MailLanguage, MailTexts> = {
  de: {
    yes: 'Ja',
    no: 'Nein',
    file: 'Datei',
    page: 'Seite',
    moreFields: 'Weitere Felder',
    submitted: 'Eingegangen',
    confirmation: {
      subject: 'Bitte bestätigen Sie Ihre E-Mail-Adresse',
      title: 'E-Mail-Adresse bestätigen',
      text: '{{organization}} möchte Ihnen an diese Adresse E-Mails über neue Leads senden. Bitte bestätigen Sie das innerhalb von {{days}} Tagen.',
      button: 'Adresse bestätigen',
      note: 'Sie haben das nicht erwartet? Dann brauchen Sie nichts zu tun. Ohne Bestätigung erhalten Sie keine E-Mails.',
    },
    lead: { subject: 'Neuer Lead', title: 'Neuer Lead' },
    leads: {
      subject: 'Neue Leads: {{count}}',
      title: 'Neue Leads: {{count}}',
      others: 'Nicht aufgeführte weitere Leads: {{others}}',
    },
    paused: {
      subject: 'Ein Webhook-Endpunkt wurde pausiert',
      title: 'Webhook-Endpunkt pausiert',
      text: 'Ein Webhook-Endpunkt von {{organization}} hat seit Tagen keine Nachricht angenommen. Er erhält deshalb keine Nachrichten mehr, bis Sie ihn wieder aktivieren.',
      labels: { url: 'Endpunkt', failingSince: 'Fehler seit', pausedAt: 'Pausiert am' },
    },
    reason: 'Sie erhalten diese E-Mail, weil {{organization}} diese Adresse für Benachrichtigungen eingetragen hat.',
    unsubscribe: 'Abbestellen',
  },
  en: {
    yes: 'Yes',
    no: 'No',
    file: 'File',
    page: 'Page',
    moreFields: 'More fields',
    submitted: 'Submitted',
    confirmation: {
      subject: 'Please confirm your e-mail address',
      title: 'Confirm your e-mail address',
      text: '{{organization}} wants to send e-mails about new leads to this address. Please confirm this within {{days}} days.',
      button: 'Confirm address',
      note: 'You did not expect this? Then there is nothing you need to do. Without your confirmation, you receive no e-mails.',
    },
    lead: { subject: 'New lead', title: 'New lead' },
    leads: {
      subject: 'New leads: {{count}}',
      title: 'New leads: {{count}}',
      others: 'Further leads that are not listed: {{others}}',
    },
    paused: {
      subject: 'A webhook endpoint was paused',
      title: 'Webhook endpoint paused',
      text: 'A webhook endpoint of {{organization}} has accepted no message for days. Therefore it receives no more messages until you enable it again.',
      labels: { url: 'Endpoint', failingSince: 'Failing since', pausedAt: 'Paused' },
    },
    reason: 'You receive this e-mail because {{organization}} has entered this address for notifications.',
    unsubscribe: 'Unsubscribe',
  },
};

export const mailTexts = (language: MailLanguage): MailTexts => TEXTS[language];
