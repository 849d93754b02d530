import * as z from 'zod/mini';
import { described, doc } from '../http/doc.ts';

/** The members by which a body comes back to a lead. */
export const HandleMembers = {
  lead_id: described(z.string().check(z.minLength(1, 'is required')), doc('The lead whose contact field is verified.')),
  update_token: described(z.string().check(z.minLength(1, 'is required')), doc('Came with the lead.')),
};
