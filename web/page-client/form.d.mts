/** The published types of the page client's form binding. The build copies this file. */
import type { Funnel } from './funnel.d.mts';

/** What visitors read. The page can replace each text; `{time}` is replaced by a duration such as `40 s`. */
export type FormTexts = {
  sending: string;
  /** Shown after 3 s without a result, for example if the connection is lost. */
  waiting: string;
  /** The service refused the submit for good. */
  rejected: string;
  /** `required` to `file`: texts for error codes. Without them, fields show the message of the service or browser. */
  required: string;
  type: string;
  format: string;
  length: string;
  range: string;
  choice: string;
  file: string;
  uploading: string;
  uploaded: string;
  uploadCancel: string;
  uploadRemove: string;
  uploadTooLarge: string;
  uploadWrongType: string;
  uploadWait: string;
  uploadUnreachable: string;
  uploadFailed: string;
  codeIncomplete: string;
  codeIncorrect: string;
  codeExpired: string;
  codeWait: string;
  codeUnreachable: string;
  codeFailed: string;
  answerWriting: string;
  answerStopped: string;
  answerCutOff: string;
  answerWait: string;
  answerUnreachable: string;
  answerFailed: string;
};

export type FormOptions = {
  /** Id of the funnel version for which the page was built. */
  version?: string | undefined;
  /** The organization of uploads, unless a file input has `data-organization`. */
  organizationId?: string | undefined;
  /** Replaces texts, also those in the element `<script type="application/json" data-funnel-texts>`. */
  texts?: Partial<FormTexts> | undefined;
};

/**
 * Binds every `<form data-funnel-step="ID">` of the page, in the order of the page: shows one step at a time, submits
 * it, and shows errors at their fields. Resolves when the step is shown at which the visitor starts or continues.
 */
export declare function bindForms(funnel: Funnel, options?: FormOptions): Promise<void>;
