import * as z from 'zod/mini';
import { tryParseJson } from '../../common/parse-json.ts';
import type { StandInRequest } from '../common/stand-in-http.ts';
import type { Reaction } from './next-response.ts';
import {
  type SignatureState,
  type SigningSecret,
  toSignatureState,
  type Verification,
  verifySignature,
} from './signature.ts';

/** Maximum number of stored deliveries. If there are more, the oldest are removed. */
export const DELIVERIES_MAX = 200;

/** A request that the receiver got. A request with a message id is one attempt to send this message. */
export type Delivery = {
  /** The first request since the start of the receiver has number 1. */
  number: number;
  receivedAt: string;
  path: string;
  /** The id of the message. */
  id?: string;
  /** The type of the message. */
  type?: string;
  /** One more than the attempt of the latest stored request with this message id. Without such a request, 1. */
  attempt?: number;
  signature: SignatureState;
  verifications: Verification[];
  response: Reaction;
  headers: Record<string, string>;
  body: string;
};

const Message = z.object({ type: z.string() });

/**
 * Creates the delivery of a request, and verifies the signature of the request.
 *
 * @param previous the earlier deliveries, newest first
 */
export function createDelivery(
  { path, headers: received, body }: StandInRequest,
  response: Reaction,
  secrets: readonly SigningSecret[],
  previous: readonly Delivery[],
): Delivery {
  const headers = Object.fromEntries(Object.entries(received).map(([name, value]) => [name, String(value)]));
  const verifications = verifySignature(secrets, headers, body);
  const id = headers['webhook-id'];
  const { data: message } = Message.safeParse(tryParseJson(body));
  return {
    number: (previous[0]?.number ?? 0) + 1,
    receivedAt: new Date().toISOString(),
    path,
    ...(id === undefined ? {} : { id, attempt: latestAttempt(previous, id) + 1 }),
    ...(message === undefined ? {} : { type: message.type }),
    signature: toSignatureState(verifications),
    verifications,
    response,
    headers,
    body,
  };
}

/** Returns the attempt number of the message's latest delivery; 0 if no delivery of the message is stored. */
const latestAttempt = (deliveries: readonly Delivery[], id: string): number =>
  deliveries.find((delivery) => delivery.id === id)?.attempt ?? 0;
