const MESSAGE_ID = /^msg_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the id of a webhook message, which is the value of the header `webhook-id`. */
export const messageIdOf = (uuid: string): string => `msg_${uuid}`;

/** Whether the header `webhook-id` has an id of this service. Other senders of Standard Webhooks use other formats. */
export const isMessageId = (header: string): boolean => MESSAGE_ID.test(header);
