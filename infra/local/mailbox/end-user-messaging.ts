import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { tryParseJson } from '../../common/parse-json.ts';
import type { StandInRequest, StandInResponse } from '../common/stand-in-http.ts';
import type { Journal } from './journal.ts';

/** The protocol's names (AWS JSON 1.0), as the SDK speaks them. */
const TARGET = 'PinpointSMSVoiceV2.SendTextMessage';
const TYPE = 'application/x-amz-json-1.0';

/** As the service checks them (API reference, SendTextMessage). */
const SendTextMessage = z.object({
  DestinationPhoneNumber: z.string().check(z.regex(/^\+[1-9][0-9]{1,18}$/)),
  OriginationIdentity: z.string().check(z.minLength(1), z.maxLength(256)),
  MessageBody: z.string().check(z.minLength(1), z.maxLength(1_600)),
  MessageType: z.optional(z.enum(['TRANSACTIONAL', 'PROMOTIONAL'])),
  TimeToLive: z.optional(z.int().check(z.minimum(5), z.maximum(259_200))),
});

/** Nothing can be delivered to numbers that end so: their owners have opted out. */
const FAILING_NUMBER = /0000$/;

export const isSmsCall = ({ method, headers }: StandInRequest): boolean =>
  method === 'POST' && String(headers['x-amz-target'] ?? '').startsWith('PinpointSMSVoiceV2.');

/** AWS End User Messaging SMS, as far as the service uses it. */
export function sendTextMessage(journal: Journal, { headers, body }: StandInRequest): StandInResponse {
  if (headers['x-amz-target'] !== TARGET) return refused('UnknownOperationException', 'Only SendTextMessage is there.');
  const parsed = SendTextMessage.safeParse(tryParseJson(body));
  if (!parsed.success) return refused('ValidationException', 'The request is not valid.');
  const { DestinationPhoneNumber: destination, OriginationIdentity: sender, MessageBody } = parsed.data;
  if (FAILING_NUMBER.test(destination)) return refused('ConflictException', 'The destination has opted out.');
  const messageId = randomUUID();
  const sms = { messageId, destination, sender, body: MessageBody, at: Math.floor(Date.now() / 1_000) };
  journal.add({ channel: 'sms', sms });
  return answer(200, { MessageId: messageId });
}

const refused = (name: string, Message: string): StandInResponse =>
  answer(400, { __type: `com.amazonaws.pinpointsmsvoicev2#${name}`, Message });

const answer = (status: number, body: object): StandInResponse => ({
  status,
  headers: { 'Content-Type': TYPE },
  body: JSON.stringify(body),
});
