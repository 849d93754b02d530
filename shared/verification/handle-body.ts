import * as z from 'zod';
import { doc } from '../http/doc.ts';

/** The members by which a body comes back to a lead. */
export const HandleMembers = {
  lead_id: z.string().min(1, 'is required').describe(doc('The lead whose contact field is verified.')),
  update_token: z.string().min(1, 'is required').describe(doc('Came with the lead.')),
};
