import * as z from 'zod/mini';
import { described, doc } from '../http/doc.ts';
import { Problem } from '../http/problem.ts';
import { ApiError, ErrorCode } from '../http/schemas.ts';
import { FAULT_CODES } from './fields/verdict.ts';
import type { ValidationError } from './judge-data.ts';
import type { LeadHandle } from './lead-handle.ts';

/** The lead handle as callers see it. */
export const LeadHandleReply = described(z.object({ id: z.string(), update_token: z.string() }), {
  id: 'LeadHandle',
  description: doc('Names a lead and permits updates of it: later requests send both as `lead_id` and `update_token`.'),
});
export const handleReply = ({ id, updateToken }: LeadHandle) => ({ id, update_token: updateToken });

const FieldFault = described(
  z.object({
    field: described(z.string(), doc('The key in `data`.')),
    code: z.enum(FAULT_CODES),
    message: described(z.string(), doc('A sentence that a page can show to its visitor.')),
  }),
  { id: 'FieldError' },
);

/** An error that leaves the caller its lead. */
export const LeadProblem = described(
  z.object({
    error: z.object({
      code: ErrorCode,
      message: z.string(),
      validation_errors: z.nullable(z.array(FieldFault)),
    }),
    data: LeadHandleReply,
  }),
  { id: 'LeadError', description: doc('An ApiError with the lead handle and, with 422, the errors of each field.') },
);

/** Before the lead is known these are plain ApiErrors. */
export const MaybeLeadProblem = z.union([LeadProblem, ApiError]);

/** The problem with the lead's handle beside it. @param errors null: the fields are not what is wrong */
export function withHandle(problem: Problem, handle: LeadHandle, errors: ValidationError[] | null): Problem {
  const { status, message, code, headers, cause } = problem;
  const extension = { error: { validation_errors: errors }, body: { data: handleReply(handle) } };
  return new Problem(status, message, { code, headers, cause, extension });
}
