import * as z from 'zod/mini';
import { described, doc } from '../http/doc.ts';

const Required = z.string().check(z.minLength(1, 'is required'));

/** The members by which a body comes back to a lead. */
export const leadCredentialsShape = {
  lead_id: described(Required, doc('The lead whose contact field is verified.')),
  update_token: described(Required, doc('Came with the lead.')),
};
