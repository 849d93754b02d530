import * as z from 'zod/mini';
import { docText, withDocs } from '../http/schema-docs.ts';

const Required = z.string().check(z.minLength(1, 'is required'));

/** The body properties that identify and authenticate a lead. */
export const leadCredentialsShape = {
  lead_id: withDocs(Required, docText('The id of the lead whose contact field is to be verified.')),
  update_token: withDocs(Required, docText('The update token from the response of a submit.')),
};
