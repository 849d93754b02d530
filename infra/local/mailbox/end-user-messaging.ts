import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { tryParseJson } from '../../common/parse-json.ts';
import { jsonResponse, type StandInRequest, type StandInResponse } from '../common/stand-in-http.ts';
import type { Journal } from './journal.ts';

/** The protocol is AWS JSON 1.0. */
const TARGET_PREFIX = 'PinpointSMSVoiceV2.';
const JSON_TYPE = 'application/x-amz-json-1.0';

/** Request body of SendTextMessage (API reference). */
const SendTextMessage = z.object({
  DestinationPhoneNumber: z.string().check(z.regex(/^\+[1-9][0-9]{1,18}$/)),
  OriginationIdentity: z.string().check(z.minLength(1), z.maxLength(256)),
  MessageBody: z.string().check(z.minLength(1), z.maxLength(1_600)),
  MessageType: z.optional(z.enum(['TRANSACTIONAL', 'PROMOTIONAL'])),
  TimeToLive: z.optional(z.int().check(z.minimum(5), z.maximum(259_200))),
});

/** SMS to these numbers are rejected, as if their owners had opted out. */
const REJECTED_NUMBER = /0000$/;

export const isSmsRequest = ({ method, headers }: StandInRequest): boolean =>
  method === 'POST' && String(headers['x-amz-target'] ?? '').startsWith(TARGET_PREFIX);

/** Handles a request to the stand-in for AWS End User Messaging SMS. */
export function sendTextMessage(journal: Journal, { headers, body }: StandInRequest): StandInResponse {
  if (headers['x-amz-target'] !== `${TARGET_PREFIX}SendTextMessage`) {
    return errorResponse('UnknownOperationException', 'Only SendTextMessage is supported.');
  }
  const parsed = SendTextMessage.safeParse(tryParseJson(body));
  if (!parsed.success) return errorResponse('ValidationException', 'A property is missing or invalid.');
  const { DestinationPhoneNumber: destination, OriginationIdentity: sender, MessageBody } = parsed.data;
  if (REJECTED_NUMBER.test(destination)) return errorResponse('ConflictException', 'The destination has opted out.');
  const messageId = randomUUID();
  const sms = { messageId, destination, sender, body: MessageBody, at: Math.floor(Date.now() / 1_000) };
  journal.add({ channel: 'sms', sms });
  return jsonResponse(200, { MessageId: messageId }, JSON_TYPE);
}

const errorResponse = (name: string, Message: string): StandInResponse =>
  jsonResponse(400, { __type: `com.amazonaws.pinpointsmsvoicev2#${name}`, Message }, JSON_TYPE);
