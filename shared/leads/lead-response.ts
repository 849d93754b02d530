import * as z from 'zod/mini';
import { HttpError } from '../http/errors.ts';
import { docText, withDocs } from '../http/schema-docs.ts';
import { ApiError, ErrorCode } from '../http/schemas.ts';
import { VALIDATION_ERROR_CODES } from './fields/field-validator.ts';
import type { LeadHandle } from './lead-handle.ts';
import type { ValidationError } from './validate-data.ts';

export const LeadHandleResponse = withDocs(z.object({ id: z.string(), update_token: z.string() }), {
  id: 'LeadHandle',
  description: docText(
    'Identifies a lead and authorizes its updates. In later requests, send `id` as `lead_id` with `update_token`.',
  ),
});
export const toLeadHandleResponse = ({ id, updateToken }: LeadHandle) => ({ id, update_token: updateToken });

const FieldError = withDocs(
  z.object({
    field: withDocs(z.string(), docText('The key in `data`.')),
    code: z.enum(VALIDATION_ERROR_CODES),
    message: withDocs(z.string(), docText('A sentence that a page can show to its visitor.')),
  }),
  { id: 'FieldError' },
);

/** An error body with the lead handle, so that the caller can continue with the lead. */
export const LeadErrorBody = withDocs(
  z.object({
    error: z.object({
      code: ErrorCode,
      message: z.string(),
      validation_errors: z.nullable(z.array(FieldError)),
    }),
    data: LeadHandleResponse,
  }),
  {
    id: 'LeadError',
    description: docText('An ApiError with the lead handle. With 422, it also contains the errors of the fields.'),
  },
);

export const LeadOrApiErrorBody = z.union([LeadErrorBody, ApiError]);

/** Adds the lead handle to an error. @param errors null if the error is not about invalid fields */
export function attachLeadHandle(error: HttpError, handle: LeadHandle, errors: ValidationError[] | null): HttpError {
  const { status, message, code, headers, cause } = error;
  const extension = { error: { validation_errors: errors }, body: { data: toLeadHandleResponse(handle) } };
  return new HttpError(status, message, { code, headers, cause, extension });
}
